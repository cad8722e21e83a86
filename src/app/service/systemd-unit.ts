import type { ServiceSpec } from './service-spec.ts';

/** The unit of systemd. The daemon tells it by `systemd-notify` that it is ready and that it lives. */
export function systemdUnit(spec: ServiceSpec): string {
  const { home, command, path, uid, isSystem, hasWatchdog } = spec;
  const lines = [
    '[Unit]',
    `Description=Coppice at ${specifierFree(home)}`,
    'Documentation=man:coppice-serve(1)',
    '',
    '[Service]',
    // The messages come from a child of the daemon.
    ...(hasWatchdog ? ['Type=notify', 'NotifyAccess=all', 'WatchdogSec=120'] : ['Type=exec']),
    ...(uid === undefined ? [] : [`User=${uid}`]),
    `Environment=${unitWord(`PATH=${path}`)}`,
    `ExecStart=${command.map((word) => unitWord(word).replaceAll('$', '$$$$')).join(' ')}`,
    'Restart=on-failure',
    'RestartSec=5',
    // Only the daemon is asked to end: it ends its runs itself.
    'KillMode=mixed',
    'TimeoutStopSec=30',
    'UMask=0077',
    'NoNewPrivileges=yes',
    '',
    '[Install]',
    `WantedBy=${isSystem ? 'multi-user.target' : 'default.target'}`,
  ];
  return `${lines.join('\n')}\n`;
}

/** One word, whatever is in it. */
function unitWord(text: string): string {
  const escaped = text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n').replaceAll('\t', '\\t');
  return `"${specifierFree(escaped)}"`;
}

function specifierFree(text: string): string {
  return text.replaceAll('%', '%%').replaceAll('\n', ' ');
}
