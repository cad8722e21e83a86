import { spawn } from 'node:child_process';
import type { ProcessIdentity } from '../../core/sessions/lease-holder.ts';
import { RUNS_VARIABLE } from './run-record.ts';
import type { RunTerminal } from './terminal/own-terminal.ts';

/** A process of its own that ends a run when its supervisor dies, however that happens. */
export interface RunGuard {
  /** The command has started, and leads the process group of its number. What left that bears the mark of the run. */
  watch(child: ProcessIdentity, runId: string): void;
  /** What the terminal of the person needs to be as it was: its mode, for `stty`, and what must be shown on it. */
  remember(terminal: { readonly mode?: string | undefined; readonly back?: string }): void;
  /** The run is over, and nothing is left to be guarded. */
  dismiss(): void;
}

/**
 * It reads from a pipe that only the supervisor has open: the kernel closes it with the supervisor, also at SIGKILL. A number that was given
 * to another process meanwhile is known by its start, and left alone. It is a shell, because a program of its own would cost each
 * run more memory than most agents' tools. What left the group of the command is found by the mark of the run in its environment; without a
 * whole mark to look for, nothing is. Where the terminal of the person is as the run made it, it is set right; the shell that they
 * come back to may have done so already.
 */
const SCRIPT = `
read -r run pid start || exit 0
case $run in
  *[!0-9a-f-]*) exit 0 ;;
  ????????-????-????-????-????????????) ;;
  *) exit 0 ;;
esac
while read -r word text; do
  case $word in
    mode) mode=$text raw=$(stty -g <&3) ;;
    back) back=$text ;;
    *) exit 0 ;;
  esac
done
same() {
  [ -e "/proc/$pid/stat" ] || return 0
  IFS= read -r stat < "/proc/$pid/stat" || return 0
  set -- \${stat##*) }
  [ "\${20}" = "$start" ]
}
if [ -n "$mode" ] && [ "$(stty -g <&3)" = "$raw" ]; then
  printf %b "$back" >&3
  stty "$mode" <&3
fi
marked() {
  grep -ls -e "${RUNS_VARIABLE}=[0-9a-f -]*$run" /proc/[0-9]*/environ
}
end() {
  same && kill -s "$1" -- "-$pid"
  for file in $(marked); do
    file=\${file%/environ}
    kill -s "$1" "\${file#/proc/}"
  done
}
end TERM
for _ in 1 2 3 4 5 6 7 8 9 10; do
  sleep 1
  kill -s 0 -- "-$pid" 2> /dev/null || [ -n "$(marked)" ] || exit 0
done
end KILL
`;

/** Starts it. Where the system does not tell when a process started there is none: the next command ends what was left. */
export function startGuard(terminal?: RunTerminal): RunGuard {
  if (process.platform !== 'linux') return { watch: nothing, remember: nothing, dismiss: nothing };
  const env = { PATH: process.env['PATH'] };
  const guard = spawn('/bin/sh', ['-c', SCRIPT], {
    stdio: ['pipe', 'ignore', 'ignore', terminal?.output.fd ?? 'ignore'],
    detached: true,
    env,
    cwd: '/',
  });
  // Nothing here waits for it, and a run is not stopped for want of it.
  guard.on('error', () => undefined);
  guard.stdin?.on('error', () => undefined);
  guard.unref();
  let remembered: string | undefined;
  return {
    watch: ({ pid, startedAt }, runId) => void guard.stdin?.write(`${runId} ${pid} ${startedAt}\n`),
    remember({ mode, back }) {
      if (mode !== undefined) guard.stdin?.write(`mode ${mode}\n`);
      if (back !== undefined && back !== remembered) guard.stdin?.write(`back ${forPrintf(back)}\n`);
      remembered = back;
    },
    dismiss: () => void guard.stdin?.end('over\n'),
  };
}

/** For `printf %b`, on one line. */
function forPrintf(text: string): string {
  return text.replaceAll('\u001b', '\\033').replaceAll('\r', '\\r').replaceAll('\n', '\\n');
}

function nothing(): void {}
