import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { errorCode } from '../error-code.ts';

/** When a running process started, in whatever form its system tells; '' where it does not tell. */
export interface FoundProcess {
  readonly startedAt: string;
}

/** Looks a process up by its number. A process that has ended and was not yet collected by its parent counts as gone. */
export function findProcess(pid: number): FoundProcess | undefined {
  if (process.platform === 'linux') return findInProc(pid);
  return process.platform === 'darwin' ? findWithPs(pid) : findBySignal(pid);
}

/** Linux. Where /proc is missing or hides the processes of others, only the number remains to go by. */
export function findInProc(pid: number): FoundProcess | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return findBySignal(pid);
  }
  // The second field is the command in parentheses, which may itself hold spaces and parentheses.
  const [state, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ended(state) ? undefined : { startedAt: rest[STARTTIME_AFTER_STATE] ?? '' };
}

/** `starttime` is field 22 of the line and `state` is field 3. */
const STARTTIME_AFTER_STATE = 22 - 3 - 1;

/** macOS, and any other system with a POSIX `ps`. */
export function findWithPs(pid: number): FoundProcess | undefined {
  let line: string;
  try {
    line = run('ps', ['-o', 'stat=,lstart=', '-p', String(pid)]);
  } catch {
    return findBySignal(pid);
  }
  const [state, ...startedAt] = line.split(/\s+/);
  return ended(state) ? undefined : { startedAt: startedAt.join(' ') };
}

/** Every system: a signal that does nothing is delivered, or forbidden, only if the process exists. */
export function findBySignal(pid: number): FoundProcess | undefined {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (errorCode(error) === 'ESRCH') return undefined;
  }
  return { startedAt: '' };
}

/** Runs a system tool so that its output does not depend on the user's settings. */
export function run(command: string, args: readonly string[]): string {
  const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' };
  return execFileSync(command, args, {
    env,
    encoding: 'utf8',
    timeout: 5000,
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();
}

/** Z is a zombie; X is on its way out. */
function ended(state: string | undefined): boolean {
  return state === undefined || /^[ZX]/.test(state);
}
