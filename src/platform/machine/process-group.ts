import { readdirSync, readFileSync } from 'node:fs';
import { errorCode } from '../error-code.ts';
import { findProcess, run } from './find-process.ts';

/** A process, told from a later one of the same number by its start. */
export interface RunningProcess {
  readonly pid: number;
  /** As `findProcess` tells it. */
  readonly startedAt: string;
}

/** Sends a signal to every process of a group, all at once. False when nobody is there to receive it. */
export function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  // To the kernel, 0 means our own group and 1 every process there is.
  if (!Number.isSafeInteger(group) || group <= 1) return false;
  try {
    process.kill(-group, signal);
    return true;
  } catch (error) {
    // macOS says EPERM of a group in which only ended processes are left.
    if (errorCode(error) === 'ESRCH' || errorCode(error) === 'EPERM') return false;
    throw error;
  }
}

/** Sends a signal to that very process. False when it has ended. */
export function signalProcess({ pid, startedAt }: RunningProcess, signal: NodeJS.Signals): boolean {
  if (findProcess(pid)?.startedAt !== startedAt) return false;
  try {
    process.kill(pid, signal);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ESRCH' || errorCode(error) === 'EPERM') return false;
    throw error;
  }
}

/** The processes of a group that still run. Those that have ended and were not yet collected do not count. */
export function groupMembers(group: number): readonly RunningProcess[] {
  if (!signalGroup(group, 0)) return [];
  return existing(process.platform === 'linux' ? groupInProc(group) : groupWithPs(group));
}

/**
 * Processes of this user that were started with this text in their environment, wherever they have moved since. Only Linux tells;
 * elsewhere there are none. A process that overwrote its environment is not found.
 */
export function processesMarked(mark: string): readonly RunningProcess[] {
  // Every environment has the empty text.
  if (process.platform !== 'linux' || mark === '') return [];
  return existing(pidsInProc().filter((pid) => readProc(pid, 'environ').includes(mark)));
}

function existing(pids: readonly number[]): RunningProcess[] {
  return pids.flatMap((pid) => {
    const found = findProcess(pid);
    return found === undefined ? [] : [{ pid, startedAt: found.startedAt }];
  });
}

function groupInProc(group: number): number[] {
  return pidsInProc().filter((pid) => {
    const stat = readProc(pid, 'stat');
    // After the command in parentheses: state, parent, group.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]) === group;
  });
}

function groupWithPs(group: number): number[] {
  const rows = run('ps', ['-A', '-o', 'pid=,pgid=']).split('\n');
  return rows.map((row) => row.trim().split(/\s+/).map(Number)).flatMap(([pid = 0, of]) => (of === group ? [pid] : []));
}

function pidsInProc(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

/** '' for a process that has ended meanwhile, and for one of another user. */
function readProc(pid: number, file: 'stat' | 'environ'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return '';
  }
}
