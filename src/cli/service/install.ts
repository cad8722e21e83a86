import { statSync } from 'node:fs';
import { delimiter, dirname, resolve } from 'node:path';
import { homePath } from '../../app/home-path.ts';
import { findProgram } from '../../app/service/find-program.ts';
import { writeServiceFile } from '../../app/service/service-file.ts';
import { type ServicePlace, servicePlace } from '../../app/service/service-place.ts';
import type { ServiceSpec } from '../../app/service/service-spec.ts';
import { Failure } from '../../core/failure.ts';
import { type CommandInput, placeOf } from '../command.ts';
import { addressOf } from '../gateway/serve-address.ts';
import { writeJson } from '../print/json-output.ts';
import { BIN } from '../package-files.ts';
import { safeText } from '../print/safe-text.ts';
import type { InstallOptions } from './options.ts';

/** `coppice service install`. It writes one file, starts nothing, and says what to type next. */
export async function run(input: CommandInput<InstallOptions>): Promise<number> {
  const { options, io, global } = input;
  const { name = 'coppice', system: isSystem = false, dryRun = false, force = false } = options;
  if (isSystem && !dryRun && process.getuid?.() !== 0) {
    throw new Failure('usage', 'Only root can install a service for the whole machine.', {
      hint: 'Run it with sudo and --home DIR, or leave --system out: then it is yours alone.',
    });
  }
  const place = servicePlace({ name, isSystem, env: io.env });
  const spec = specOf(input, { name, isSystem });
  const text = place.textOf(spec);
  if (dryRun) {
    io.out.write(text);
    return 0;
  }
  if (!place.isThere && !force) {
    throw new Failure('failed', 'systemd does not run on this machine, so nothing was written.', {
      hint: 'See what it would write with --dry-run, or write it all the same with --force.',
    });
  }
  const status = writeServiceFile(place.file, text);
  if (global.json) {
    writeJson(io.out, { manager: place.manager, file: place.file, status, next: place.commands.start });
  } else {
    for (const line of said(place, spec, status)) io.out.write(`${safeText(line)}\n`);
  }
  return 0;
}

function specOf(
  { options, io, global }: CommandInput<InstallOptions>,
  { name, isSystem }: Pick<ServiceSpec, 'name' | 'isSystem'>,
): ServiceSpec {
  const home = homePath(placeOf(global), io.env);
  const path = servicePath(io.env['PATH']);
  // A line that serve would refuse is refused here, and not every five seconds in a log.
  addressOf(options, io.cwd);
  const settings = global.set.flatMap(({ key, value }) => ['--set', `${key}=${value}`]);
  const uid = isSystem ? ownerOf(home) : undefined;
  return {
    name,
    isSystem,
    home,
    path,
    command: [process.execPath, BIN, 'serve', '--home', home, ...serveWords(options, io.cwd), ...settings],
    hasWatchdog: findProgram('systemd-notify', path),
    ...(uid !== undefined && { uid }),
  };
}

function serveWords({ port, socket, host, public: beyond }: InstallOptions, cwd: string): readonly string[] {
  return [
    ...(port === undefined ? [] : ['--port', String(port)]),
    ...(socket === undefined ? [] : ['--socket', resolve(cwd, socket)]),
    ...(host === undefined ? [] : ['--host', host]),
    ...(beyond === true ? ['--public'] : []),
  ];
}

/** Jobs find their agents where the person who installs it does; a service has nearly nothing by itself. */
function servicePath(path: string | undefined): string {
  const folders = [dirname(process.execPath), ...(path ?? '').split(delimiter), '/usr/local/bin', '/usr/bin', '/bin'];
  return [...new Set(folders.filter((folder) => folder.startsWith('/')))].join(delimiter);
}

/** The home must belong to whoever serves it. Undefined for root, and where there is no home yet. */
function ownerOf(home: string): number | undefined {
  return statSync(home, { throwIfNoEntry: false })?.uid || undefined;
}

function said(place: ServicePlace, spec: ServiceSpec, status: ReturnType<typeof writeServiceFile>): readonly string[] {
  const { manager, file, isThere, commands } = place;
  const words = { written: 'Wrote', replaced: 'Replaced', unchanged: 'Nothing to do: it is already as it should be,' };
  const watched = manager === 'systemd' && spec.hasWatchdog;
  return [
    `${words[status]} ${file}`,
    `It serves ${spec.home}${spec.uid === undefined ? '' : ` as user ${spec.uid}`}, and is started again when it fails.`,
    watched
      ? 'systemd also starts it again when it says nothing for two minutes.'
      : `Nothing watches whether it hangs: ${manager === 'systemd' ? 'systemd-notify is missing' : 'launchd has no way to'}.`,
    ...(isThere ? [] : ['systemd does not run here, so nothing will start it.']),
    'Nothing was started. Type next:',
    ...commands.start.map((command) => `  ${command}`),
  ];
}
