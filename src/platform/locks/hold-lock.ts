import { spawnSync } from 'node:child_process';
import { closeSync, constants } from 'node:fs';
import { errorCode } from '../error-code.ts';
import { openRegular } from '../files/open-regular.ts';

/** Nothing has the name, somebody else has the lock, or nothing on this machine can take it. */
export type HoldObstacle = 'absent' | 'held' | 'not-possible';

/**
 * Takes the kernel's lock on a file that is there, as other programs do with `flock`, at once or not at all. It never makes the file and
 * follows no link. The lock belongs to the file as this process has it open, so it ends when this process does, however that happens. The
 * small program of the system that asks the kernel for it is only needed to take it.
 */
export function holdLock(path: string): Disposable | HoldObstacle {
  let handle: number;
  try {
    handle = openRegular(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  } catch (error) {
    return errorCode(error) === 'ENOENT' ? 'absent' : 'not-possible';
  }
  const taken = takeLock(handle);
  if (taken === 'taken') return { [Symbol.dispose]: () => closeSync(handle) };
  closeSync(handle);
  return taken;
}

/** The first is on every Linux, the second on macOS. Each is handed the open file as its number 3, and ends with 1 where it is held. */
const TAKERS: readonly (readonly [program: string, ...args: string[]])[] = [
  ['flock', '-n', '3'],
  ['perl', '-e', 'use Fcntl ":flock"; open(my $f, "<&=", 3) or exit 2; flock($f, LOCK_EX | LOCK_NB) or exit 1;'],
];

const HELD_CODE = 1;

function takeLock(handle: number): 'taken' | 'held' | 'not-possible' {
  for (const [program, ...args] of TAKERS) {
    const { status } = spawnSync(program, args, { stdio: ['ignore', 'ignore', 'ignore', handle] });
    if (status === 0) return 'taken';
    if (status === HELD_CODE) return 'held';
  }
  return 'not-possible';
}
