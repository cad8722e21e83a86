import { readFileSync } from 'node:fs';
import { run } from './find-process.ts';

/** Whether a process is stopped, as by Ctrl-Z, until somebody lets it go on. */
export function isStopped(pid: number): boolean {
  try {
    return stateOf(pid).startsWith('T');
  } catch {
    return false;
  }
}

function stateOf(pid: number): string {
  if (process.platform !== 'linux') return run('ps', ['-o', 'stat=', '-p', String(pid)]);
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return stat.slice(stat.lastIndexOf(')') + 2);
}
