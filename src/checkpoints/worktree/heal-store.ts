import { lstatSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../core/failure.ts';
import { DAY_MS } from '../../core/time.ts';
import { errorCode } from '../../platform/error-code.ts';
import { openBelow } from '../../platform/files/directory-handle.ts';
import { removeBelow } from '../../platform/files/remove-tree.ts';
import { GITS_ARE_SEEN, gitsEnded } from '../../platform/git/git-at-work.ts';
import { ifPossible } from '../../platform/if-possible.ts';
import { removeLeftoversIn } from '../../platform/leftovers/remove-leftovers.ts';
import { ownerOf } from '../../platform/leftovers/temporary-name.ts';
import { Folder, openPlace } from './worktree-folder.ts';
import { RESTORE_PREFIX } from './worktree-write.ts';
import { DEBRIS_AGE_MS, findDebris } from '../store/find-debris.ts';
import type { CheckpointStore } from '../store/open-store.ts';
import { brokenPromises } from '../store/promised-refs.ts';
import type { StoreLayout } from '../store/store-layout.ts';
import { notesLeft, signIn, type WorkNote } from '../store/store-work.ts';

type HealedStore = Pick<CheckpointStore, 'layout' | 'lock'>;

/**
 * Shares the store with others who write to it, until it is disposed of: after looking for what a dead process left, and with a
 * note that whoever comes after a death of this one finds.
 */
export async function shareStore(store: HealedStore, waitMs: number): Promise<Disposable> {
  await healStore(store);
  const shared = await store.lock.share(waitMs);
  const note = signIn(store.layout);
  return {
    [Symbol.dispose]() {
      note[Symbol.dispose]();
      shared[Symbol.dispose]();
    },
  };
}

/**
 * Removes what dead processes left: locks and half-written files of git in the store, and files of a restore in the folder of a
 * project. Does nothing while others are at work in the store, and is over at once where nobody died. What cannot be removed
 * now is left to the next.
 */
export async function healStore(store: HealedStore): Promise<void> {
  const notes = notesLeft(store.layout);
  if (notes.length === 0) return;
  try {
    for (const note of notes) ifPossible(() => removeRestoreFiles(store.layout, note));
    const started = notes.filter(({ restore }) => restore === undefined);
    if (started.length > 0) await removeGitFiles(store, started);
  } catch (error) {
    const busy = error instanceof Failure && error.code === 'locked';
    if (!busy && errorCode(error) === undefined) throw error;
  }
}

/** Alone, so no process that lives has a git at work here; and a git that outlived its own is waited for. */
async function removeGitFiles({ layout, lock }: HealedStore, notes: readonly WorkNote[]): Promise<void> {
  using _alone = await lock.alone(0);
  if (!(await gitsEnded(layout.gitDir))) return;
  const before = GITS_ARE_SEEN ? Number.POSITIVE_INFINITY : Date.now() - DEBRIS_AGE_MS;
  const left = [
    ...findDebris(layout, before).map((path) => join(layout.gitDir, path)),
    ...brokenPromises(layout, before),
  ];
  removeBelow(layout.home, left);
  removeTemporaries(layout);
  const over = notes.filter(({ owner }) => owner.since <= before);
  removeBelow(
    layout.home,
    over.map(({ path }) => path),
  );
}

/** What writes of whole files left, in each folder where there are such. */
function removeTemporaries({ home, root, gitDir, projects, work }: StoreLayout): void {
  for (const dir of [root, gitDir, join(gitDir, 'info'), projects, work]) {
    using folder = openBelow(home, dir);
    if (folder !== undefined) removeLeftoversIn(folder);
  }
}

/** A folder that is not there may be on a volume that comes back. */
const VOLUME_MS = 30 * DAY_MS;

function removeRestoreFiles({ home }: StoreLayout, { path, owner, restore }: WorkNote): void {
  if (restore === undefined) return;
  try {
    using root = new Folder(restore.workdir);
    for (const each of restore.paths) removeOwned(root, Buffer.from(each, 'latin1'), owner.mark);
  } catch (error) {
    if (!NOT_THERE.has(errorCode(error) ?? '') || Date.now() - owner.since < VOLUME_MS) throw error;
  }
  removeBelow(home, [path]);
}

const NOT_THERE = new Set(['ENOENT', 'ENOTDIR', 'ELOOP']);

/** In the folder of a path, only what bears the name of that very process goes. */
function removeOwned(root: Folder, path: Buffer, mark: string): void {
  using place = openPlace(root, path, { create: false });
  for (const name of place.folder?.names() ?? []) {
    if (ownerOf(name.toString('latin1'), RESTORE_PREFIX)?.mark !== mark) continue;
    const file = place.folder?.at(name);
    const stat = file && lstatSync(file, { throwIfNoEntry: false });
    if (file !== undefined && (stat?.isFile() === true || stat?.isSymbolicLink() === true)) unlinkSync(file);
  }
}
