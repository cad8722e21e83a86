import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../core/failure.ts';
import { userHome } from '../../platform/machine/user-home.ts';
import { launchdPlist } from './launchd-plist.ts';
import { sealed } from './seal.ts';
import type { ServiceSpec } from './service-spec.ts';
import { systemdUnit } from './systemd-unit.ts';

/** The service manager of this machine, and where it looks for what it runs. */
export interface ServicePlace {
  readonly manager: 'systemd' | 'launchd';
  /** Whether it runs here. */
  readonly isThere: boolean;
  readonly file: string;
  /** Where it notes that it starts the service by itself; undefined where that is no file. */
  readonly enabledFile?: string;
  readonly textOf: (spec: ServiceSpec) => string;
  /** What a person types to start it, to see it and to stop it. */
  readonly commands: { readonly start: readonly string[]; readonly look: string; readonly stop: string };
}

export interface PlaceOptions {
  readonly name: string;
  readonly isSystem: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform?: NodeJS.Platform;
}

export function servicePlace(options: PlaceOptions): ServicePlace {
  const { platform = process.platform, name, isSystem } = options;
  if (!/^[A-Za-z0-9_.-]{1,100}$/.test(name)) {
    throw new Failure('usage', `A service cannot be called ${name}.`, {
      hint: 'Use letters, digits, dots, hyphens and underscores.',
    });
  }
  if (platform === 'linux') return systemdPlace(options);
  if (platform === 'darwin' && !isSystem) return launchdPlace(options);
  throw new Failure('failed', 'There is no service manager here that this command knows.', {
    hint: 'It knows systemd, and launchd for one user. Let yours run: coppice serve',
  });
}

function systemdPlace({ name, isSystem, env }: PlaceOptions): ServicePlace {
  const folder = isSystem ? '/etc/systemd/system' : join(configFolder(env), 'systemd/user');
  const control = isSystem ? 'systemctl' : 'systemctl --user';
  const target = isSystem ? 'multi-user.target' : 'default.target';
  const linger = isSystem ? [] : ['loginctl enable-linger'];
  return {
    manager: 'systemd',
    isThere: existsSync('/run/systemd/system'),
    file: join(folder, `${name}.service`),
    enabledFile: join(folder, `${target}.wants`, `${name}.service`),
    textOf: (spec) => sealed(systemdUnit(spec), (words) => `# ${words}`),
    commands: {
      start: [`${control} daemon-reload`, `${control} enable --now ${name}.service`, ...linger],
      look: `${control} status ${name}.service`,
      stop: `${control} disable --now ${name}.service`,
    },
  };
}

function launchdPlace({ name }: PlaceOptions): ServicePlace {
  const file = join(ownFolder(), 'Library/LaunchAgents', `${name}.plist`);
  const domain = `gui/${process.getuid?.() ?? 0}`;
  return {
    manager: 'launchd',
    isThere: true,
    file,
    textOf: (spec) => sealed(launchdPlist(spec), (words) => `<!-- ${words} -->`),
    commands: {
      start: [`launchctl bootstrap ${domain} ${file}`],
      look: `launchctl print ${domain}/${name}`,
      stop: `launchctl bootout ${domain}/${name}`,
    },
  };
}

function configFolder(env: PlaceOptions['env']): string {
  return env['XDG_CONFIG_HOME'] || join(ownFolder(), '.config');
}

function ownFolder(): string {
  const folder = userHome();
  if (folder !== undefined) return folder;
  throw new Failure('usage', 'Nothing says where your home directory is: HOME is empty or not set.', {
    hint: 'Set HOME, and run the command again.',
  });
}
