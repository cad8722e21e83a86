import { existsSync } from 'node:fs';
import { shellWord } from '../../../core/shell-word.ts';
import { RUNS_VARIABLE } from '../run-record.ts';

/** A program and what it is given. */
export interface ProgramLine {
  readonly command: string;
  readonly args: readonly string[];
}

export interface JobOptions extends ProgramLine {
  /** Words for `stty`: the mode and the size that the terminal is to have. */
  readonly settings: readonly string[];
  /** The runs that the command belongs to. The shell itself bears no mark: it ends after everything that does. */
  readonly runIds: string;
  /** The person's own shell, which the command finds in its environment. */
  readonly shell: string | undefined;
  /** Whether standard error is not the terminal but a file that the shell is given. */
  readonly hasOwnErrors: boolean;
}

/** Open files that the shell is given besides the terminal: what it tells, what it hears, and standard error that is elsewhere. */
export const TELLS_FD = 4;
export const HEARS_FD = 5;
export const ERRORS_FD = 6;

/**
 * Runs a command as the foreground job of a terminal, as a shell at a prompt would: in a process group of its own, which gets what
 * Ctrl-C, Ctrl-Z and Ctrl-\ send. Tells its number and its terminal, then how it ended or that it was stopped, and hears
 * whether to go on. `stty` in the background waits until the job is in the foreground, so nothing of the command runs before that.
 * Messages of the shell about its job are for nobody; bash needs its standard error to be the terminal.
 */
const SCRIPT = `
exec 7<&0 8>&2
set -m
trap : INT QUIT TERM
[ -n "$BASH_VERSION" ] || exec 2>/dev/null
settings=$1 runs=$2 errors=$4
[ -z "$3" ] && unset SHELL || SHELL=$3
shift 4
agent() {
  [ -z "$settings" ] || stty $settings
  ${RUNS_VARIABLE}=$runs
  export ${RUNS_VARIABLE}
  exec "$@" ${TELLS_FD}>&- ${HEARS_FD}<&- ${ERRORS_FD}>&- 7<&- 8>&-
}
(agent "$@") <&7 2>&$errors &
echo "started $! $(tty <&7)" >&${TELLS_FD}
word=fg
while [ "$word" = fg ]; do
  fg >/dev/null
  echo "status $?" >&${TELLS_FD}
  read -r word <&${HEARS_FD}
done
`;

/** The shell for a terminal that is already there. */
export function jobShell(job: JobOptions): ProgramLine {
  const settings = job.settings.join(' ');
  const errors = String(job.hasOwnErrors ? ERRORS_FD : 8);
  const own = [settings, job.runIds, job.shell ?? '', errors];
  return { command: SHELL, args: ['-c', SCRIPT, 'coppice', ...own, job.command, ...job.args] };
}

/**
 * The shell in a terminal of its own, which the program `script` makes and shows on its standard output. That of Linux takes a line
 * for the shell that the environment names, that of other systems a command.
 */
export function jobShellInTerminal(job: JobOptions): ProgramLine & { readonly env: NodeJS.ProcessEnv } {
  const { command, args } = jobShell(job);
  const line = ['exec', command, ...args.map(shellWord)].join(' ');
  const own = process.platform === 'linux' ? ['-qfc', line, '/dev/null'] : ['-q', '/dev/null', command, ...args];
  return { command: 'script', args: own, env: { SHELL } };
}

/** The small one where there is one: it starts faster, and does not say which line of it was killed. */
const SHELL = existsSync('/bin/dash') ? '/bin/dash' : '/bin/sh';
