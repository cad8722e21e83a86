import { mkdirSync, rmdirSync } from 'node:fs';
import { Failure } from '../../core/failure.ts';
import { SECOND_MS } from '../../core/time.ts';
import { errorCode } from '../../platform/error-code.ts';
import type { DirectoryHandle } from '../../platform/files/directory-handle.ts';
import { retryBusy } from '../../platform/sqlite/retry-busy.ts';

/** A folder beside a file of an agent: whoever could make it may write to the file. Agents that run on Node lock so. */
export interface FolderLock {
  readonly name: string;
  /** For whom it stands, as the beginning of a sentence such as `Some Agent holds the lock of its prompt history`. */
  readonly holder: string;
  /** After so long without being touched it was left behind. */
  readonly staleMs: number;
}

const PATIENCE_MS = 5 * SECOND_MS;

/**
 * Tells ours from that of a running program. Two processes of Coppice never change one home at the same time, so one that is ours
 * already was left by one that died.
 */
const OURS = 0o1700;

/** Carries out something while the agent writes nothing to its file. `act` must not take longer than a moment. */
export async function withFolderLock<T>(folder: DirectoryHandle, lock: FolderLock, act: () => T): Promise<T> {
  await retryBusy(() => takeLock(folder, lock), {
    deadlineMs: PATIENCE_MS,
    isBusy: (error) => errorCode(error) === 'EEXIST',
    onGiveUp: () => new Failure('locked', `${lock.holder}.`, { hint: LATER }),
  });
  try {
    return act();
  } finally {
    rmdirSync(folder.at(lock.name));
  }
}

const LATER = 'Nothing of it was changed. Try again when it is idle.';

function takeLock(folder: DirectoryHandle, { name, staleMs }: FolderLock): void {
  const found = folder.look(name);
  const isLeft = found?.isDirectory() === true && (isOurs(found.mode) || Date.now() - found.mtimeMs > staleMs);
  if (isLeft) rmdirSync(folder.at(name));
  mkdirSync(folder.at(name), OURS);
}

function isOurs(mode: number): boolean {
  return (mode & 0o7777) === OURS;
}
