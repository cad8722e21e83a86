import { spawn } from 'node:child_process';
import type { ProcessIdentity } from '../../core/session-store.ts';

/** A process of its own that ends a run when its supervisor dies, however that happens. */
export interface RunGuard {
  /** The command has started, and leads the process group of its number. */
  watch(child: ProcessIdentity): void;
  /** The run is over, and nothing is left to be guarded. */
  dismiss(): void;
}

/**
 * It reads from a pipe that only the supervisor has open: the kernel closes it with the supervisor, also at SIGKILL. A number that was given
 * to another process meanwhile is known by its start, and left alone. It is a shell, because a program of its own would cost each
 * run more memory than most agents' tools.
 */
const SCRIPT = `
read -r pid start || exit 0
read -r _ && exit 0
same() {
  [ -e "/proc/$pid/stat" ] || return 0
  IFS= read -r stat < "/proc/$pid/stat" || return 0
  set -- \${stat##*) }
  [ "\${20}" = "$start" ]
}
same && kill -s TERM -- "-$pid" || exit 0
for _ in 1 2 3 4 5 6 7 8 9 10; do
  sleep 1
  kill -s 0 -- "-$pid" 2> /dev/null || exit 0
done
same && kill -s KILL -- "-$pid"
`;

/** Starts it. Where the system does not tell when a process started there is none: the next command ends what was left. */
export function startGuard(): RunGuard {
  if (process.platform !== 'linux') return { watch: () => undefined, dismiss: () => undefined };
  const env = { PATH: process.env['PATH'] };
  const guard = spawn('/bin/sh', ['-c', SCRIPT], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    env,
    cwd: '/',
  });
  // Nothing here waits for it, and a run is not stopped for want of it.
  guard.on('error', () => undefined);
  guard.stdin.on('error', () => undefined);
  guard.unref();
  return {
    watch: ({ pid, startedAt }) => void guard.stdin.write(`${pid} ${startedAt}\n`),
    dismiss: () => void guard.stdin.end('over\n'),
  };
}
