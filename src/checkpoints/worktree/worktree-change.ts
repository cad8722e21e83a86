import { rmdirSync, unlinkSync } from 'node:fs';
import type { RestoredFile } from '../../core/retention/checkpoint.ts';
import { ifPossible } from '../../platform/if-possible.ts';
import type { TreeChange } from '../project/diff-trees.ts';
import { openContents } from './restore-contents.ts';
import type { StoreLayout } from '../store/store-layout.ts';
import { noteRestore } from '../store/store-work.ts';
import { BATCH_FILES, writeBatch } from './worktree-batch.ts';
import { JUST_CHANGED, stampOf } from './worktree-entry.ts';
import { type Folder, openPlace } from './worktree-folder.ts';
import { judgeChange, key } from './worktree-judge.ts';
import { attempt } from './worktree-outcome.ts';

export interface WorktreeChange {
  readonly layout: Pick<StoreLayout, 'home' | 'gitDir' | 'work'>;
  readonly workdir: string;
  /** The working directory, which is opened once: whatever stands at its path later is another. */
  readonly root: Folder;
  readonly changes: readonly TreeChange[];
  readonly signal?: AbortSignal;
}

/**
 * Changes the files of a working directory from one saved state to another: removals first, then files, each in one
 * step. A path that is not as the first state says is left alone. Asked again after a crash, it finishes what is left.
 */
export async function* changeWorktree(change: WorktreeChange): AsyncGenerator<RestoredFile> {
  const { root } = change;
  using contents = openContents(change.layout.gitDir);
  const { removals, writes } = inOrder(change.changes);
  using _note = noteRestore(change.layout, { workdir: change.workdir, paths: onePerFolder(writes) });
  for (const each of removals) {
    change.signal?.throwIfAborted();
    yield await attempt(each, () => remove(root, each));
  }
  for (let next = 0; next < writes.length; ) {
    change.signal?.throwIfAborted();
    const outcomes = await writeBatch({ root, contents }, writes.slice(next, next + BATCH_FILES));
    next += outcomes.length;
    yield* outcomes;
  }
  for (const folder of foldersOf(removals)) removeIfEmpty(root, folder);
  for (const folder of foldersOf(change.changes)) syncFolder(root, folder);
  root.sync();
}

/** What `changeWorktree` would do now, without doing it. */
export async function* previewWorktree({
  root,
  changes,
}: Pick<WorktreeChange, 'root' | 'changes'>): AsyncGenerator<RestoredFile> {
  const { removals, writes } = inOrder(changes);
  const leaving = new Set<string>();
  for (const each of [...removals, ...writes]) {
    const outcome = await attempt(each, () => judged(root, each, leaving));
    if (each.to === undefined && outcome.status === 'done') leaving.add(key(each.path));
    yield outcome;
  }
}

function inOrder(changes: readonly TreeChange[]) {
  return {
    removals: changes.filter(({ to }) => to === undefined),
    writes: changes.filter(({ to }) => to !== undefined),
  };
}

function onePerFolder(changes: readonly TreeChange[]): string[] {
  const texts = changes.map(({ path }) => key(path));
  return [...new Map(texts.map((text) => [text.slice(0, text.lastIndexOf('/') + 1), text])).values()];
}

async function remove(root: Folder, change: TreeChange): Promise<string | undefined> {
  using place = openPlace(root, change.path, { create: false });
  const found = stampOf(place);
  const verdict = await judgeChange({ root, place }, change);
  if (verdict.kind === 'stop') return verdict.why;
  if (verdict.kind === 'nothing-to-do' || place.folder === undefined) return undefined;
  if (stampOf(place) !== found) return JUST_CHANGED;
  unlinkSync(place.folder.at(place.name));
  return undefined;
}

async function judged(root: Folder, change: TreeChange, leaving: ReadonlySet<string>): Promise<string | undefined> {
  using place = openPlace(root, change.path, { create: false });
  const verdict = await judgeChange({ root, place, leaving }, change);
  return verdict.kind === 'stop' ? verdict.why : undefined;
}

/** Every folder on the way to these paths, the deepest first. */
function foldersOf(changes: readonly TreeChange[]): Buffer[] {
  const folders = new Set<string>();
  for (const { path } of changes) {
    const text = key(path);
    for (let end = text.lastIndexOf('/'); end > 0; end = text.lastIndexOf('/', end - 1)) {
      if (folders.has(text.slice(0, end))) break;
      folders.add(text.slice(0, end));
    }
  }
  return [...folders].toSorted((a, b) => b.length - a.length).map((text) => Buffer.from(text, 'latin1'));
}

function removeIfEmpty(root: Folder, path: Buffer): void {
  // What holds something, or may not be removed, stays and does no harm.
  ifPossible(() => {
    using place = openPlace(root, path, { create: false });
    if (place.folder !== undefined) rmdirSync(place.folder.at(place.name));
  });
}

/** A new name survives a power cut once its folder was written. */
function syncFolder(root: Folder, path: Buffer): void {
  using place = openPlace(root, path, { create: false });
  using folder = place.folder?.open(place.name);
  folder?.sync();
}
