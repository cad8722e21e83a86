import { closeSync, constants, fstatSync, ftruncateSync, writeFileSync } from 'node:fs';
import { Failure } from '../../../core/failure.ts';
import { SECOND_MS } from '../../../core/time.ts';
import { errorCode } from '../../../platform/error-code.ts';
import { type LockObstacle, takeKernelLock } from '../../../platform/locks/kernel-lock.ts';
import { openRegular } from '../../../platform/files/open-regular.ts';
import { findProcess } from '../../../platform/machine/find-process.ts';

/**
 * Works under a lock file of Hermes, waiting a while for it. Gives a sentence instead when it cannot be had: `busy` says what
 * Hermes is at when it has it itself.
 */
export async function withHermesLock<T extends object | number>(
  path: string,
  busy: string,
  work: () => Promise<T | string>,
): Promise<T | string> {
  const lock = await takeHermesLock(path, WAIT_MS);
  if (lock === 'held') return `${busy} Try again in a minute.`;
  if (lock === 'not-possible')
    return 'The lock of Hermes cannot be taken here. Install the program flock, then try again.';
  await using _lock = lock;
  return await work();
}

const WAIT_MS = 10 * SECOND_MS;

/** Takes a lock file of Hermes the way Hermes does, and says in it who has it. */
export async function takeHermesLock(path: string, waitMs: number): Promise<AsyncDisposable | LockObstacle> {
  const taken = await takeKernelLock(path, waitMs);
  if (typeof taken !== 'string') await noteHolder(path, taken);
  return taken;
}

/** Says who holds it, as Hermes does: it takes a lock away from a holder that it knows to be dead. */
async function noteHolder(path: string, lock: AsyncDisposable): Promise<void> {
  const ticks = Number(findProcess(process.pid)?.startedAt);
  const holder = {
    pid: process.pid,
    start_ticks: Number.isInteger(ticks) ? ticks : null,
    acquired_at: Date.now() / 1000,
  };
  try {
    writeOver(path, JSON.stringify(holder));
  } catch (error) {
    // The lock counts, not what is written in it.
    if (errorCode(error) !== undefined || error instanceof Failure) return;
    await lock[Symbol.asyncDispose]();
    throw error;
  }
}

/** Only where the lock is a file of the home alone: one that is a link, or has another name, is somebody's as well. */
function writeOver(path: string, text: string): void {
  const handle = openRegular(path, constants.O_WRONLY | constants.O_NOFOLLOW);
  try {
    if (fstatSync(handle).nlink > 1) return;
    ftruncateSync(handle);
    writeFileSync(handle, text);
  } finally {
    closeSync(handle);
  }
}
