import { closeSync, lstatSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../core/failure.ts';
import type { EpochMs } from '../../core/time.ts';
import { errorCode } from '../../platform/error-code.ts';
import { type DirectoryHandle, openBelow } from '../../platform/files/directory-handle.ts';
import { removeBelow, removeIn } from '../../platform/files/remove-tree.ts';
import { namesIn } from './names-in.ts';
import type { StoreLayout } from './store-layout.ts';

// Whoever writes to the store holds its lock from the first object to the ref, so whoever holds it alone knows that nobody is
// writing. One thing a lock cannot tell: a process that was killed has lost it, while the git that it started to make the ref
// may live for another moment. So the commit is promised by a file of its name first, and what is promised is needed.

/** Promises refs to commits until it is disposed of, which is when they are there or their git has ended without them. */
export function promiseRefs(
  { home, promises: dir }: Pick<StoreLayout, 'home' | 'promises'>,
  ids: readonly string[],
): Disposable {
  try {
    using folder = openBelow(home, dir, { create: true });
    for (const id of ids) promise(folder, id);
  } catch (error) {
    // On a full disk git cannot write the refs either, and says so better.
    if (error instanceof Failure || errorCode(error) === undefined) throw error;
  }
  const paths = ids.map((id) => join(dir, id));
  return { [Symbol.dispose]: () => removeBelow(home, paths) };
}

/** A new file each time: its time says since when. */
function promise(folder: DirectoryHandle, id: string): void {
  removeIn(folder, id);
  closeSync(openSync(folder.at(id), 'wx', 0o600));
}

/** Commits that were promised a ref since then. While the store is held alone these are promises of processes that were killed. */
export function promisedSince(layout: StoreLayout, since: EpochMs): string[] {
  return promises(layout).filter((id) => promisedAt(layout, id) > since);
}

/** Files of promises that no git can be about to keep any more. */
export function brokenPromises(layout: StoreLayout, since: EpochMs): string[] {
  return promises(layout)
    .filter((id) => promisedAt(layout, id) <= since)
    .map((id) => join(layout.promises, id));
}

function promises({ promises: dir }: StoreLayout): string[] {
  return namesIn(dir, /^[0-9a-f]{40}$/);
}

function promisedAt({ promises: dir }: StoreLayout, id: string): EpochMs {
  return lstatSync(join(dir, id), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
