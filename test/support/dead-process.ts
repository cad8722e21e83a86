import { spawnSync } from 'node:child_process';
import { temporaryName } from '../../src/platform/leftovers/temporary-name.ts';

/** The name of a temporary thing that a process of this machine made which has ended. */
export function nameOfTheDead(prefix?: string): string {
  return temporaryName(prefix).replace(`-${process.pid}-`, `-${deadPid()}-`);
}

/** The same of a process whose number somebody else has by now. */
export function nameOfTheReused(prefix?: string): string {
  return temporaryName(prefix).replace(/-([0-9a-f]{8})-(?=[0-9a-z]+-[0-9a-f]{16}$)/, '-ffffffff-');
}

/** The number of a process that has ended. */
export function deadPid(): number {
  return spawnSync('true').pid;
}
