import { mkdirSync, rmdirSync } from 'node:fs';
import { Failure } from '../../core/failure.ts';
import { SECOND_MS } from '../../core/time.ts';
import { errorCode } from '../../platform/error-code.ts';
import type { DirectoryHandle } from '../../platform/files/directory-handle.ts';
import { retryBusy } from '../../platform/sqlite/retry-busy.ts';

/** A folder beside the file. Whoever could make it may write to the file; Claude Code does so for each prompt. */
const LOCK = 'history.jsonl.lock';

/** Claude Code takes a lock for left behind after ten seconds, in which its owner has not touched it. */
const STALE_MS = 30 * SECOND_MS;
const PATIENCE_MS = 5 * SECOND_MS;

/**
 * Tells ours from that of a running program. Two processes of Coppice never change one home at the same time, so one that is ours
 * already was left by one that died.
 */
const OURS = 0o1700;

/** Carries out something while no prompt is written. `act` must not take longer than a moment. */
export async function withHistoryLock<T>(home: DirectoryHandle, act: () => T): Promise<T> {
  await retryBusy(() => takeLock(home), {
    deadlineMs: PATIENCE_MS,
    isBusy: (error) => errorCode(error) === 'EEXIST',
    onGiveUp: () => new Failure('locked', 'Claude Code holds the lock of its prompt history.', { hint: LATER }),
  });
  try {
    return act();
  } finally {
    rmdirSync(home.at(LOCK));
  }
}

const LATER = 'Nothing of the history was changed. Try again when it is idle.';

function takeLock(home: DirectoryHandle): void {
  const found = home.look(LOCK);
  const isLeft = found?.isDirectory() === true && (isOurs(found.mode) || Date.now() - found.mtimeMs > STALE_MS);
  if (isLeft) rmdirSync(home.at(LOCK));
  mkdirSync(home.at(LOCK), OURS);
}

function isOurs(mode: number): boolean {
  return (mode & 0o7777) === OURS;
}
