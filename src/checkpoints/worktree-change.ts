import { rmdirSync, unlinkSync } from 'node:fs';
import type { FileChange, RestoredFile } from '../core/checkpoint.ts';
import { Failure } from '../core/failure.ts';
import { errorCode } from '../platform/error-code.ts';
import type { TreeChange } from './diff-trees.ts';
import { type Contents, openContents } from './restore-contents.ts';
import { Folder, openPlace } from './worktree-folder.ts';
import { judgeChange, key } from './worktree-judge.ts';
import { dropTemporary, writeEntry } from './worktree-write.ts';

export interface WorktreeChange {
  readonly gitDir: string;
  readonly workdir: string;
  readonly changes: readonly TreeChange[];
  readonly signal?: AbortSignal;
}

/**
 * Changes the files of a working directory from one saved state to another: removals first, then one file at a time, each in
 * one step. A path that is not as the first state says is left alone. Asked again after a crash, it finishes what is left.
 */
export async function* changeWorktree(change: WorktreeChange): AsyncGenerator<RestoredFile> {
  using root = new Folder(change.workdir);
  using contents = openContents(change.gitDir);
  const { removals, writes } = inOrder(change.changes);
  for (const each of removals) {
    change.signal?.throwIfAborted();
    yield await attempt(each, () => remove(root, each));
  }
  for (const each of writes) {
    change.signal?.throwIfAborted();
    yield await attempt(each, () => write(root, each, contents));
  }
  for (const folder of foldersOf(removals)) removeIfEmpty(root, folder);
}

/** What `changeWorktree` would do now, without doing it. */
export async function* previewWorktree({
  workdir,
  changes,
}: Omit<WorktreeChange, 'gitDir'>): AsyncGenerator<RestoredFile> {
  using root = new Folder(workdir);
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

async function remove(root: Folder, change: TreeChange): Promise<string | undefined> {
  const verdict = await judgeChange(root, change);
  if (verdict.kind === 'stop') return verdict.why;
  using place = openPlace(root, change.path, { create: false });
  if (place.folder === undefined) return undefined;
  dropTemporary(place.folder, place.name);
  if (verdict.kind === 'act') unlinkSync(place.folder.at(place.name));
  return undefined;
}

async function write(root: Folder, change: TreeChange, contents: Contents): Promise<string | undefined> {
  const { path, to } = change;
  const verdict = await judgeChange(root, change);
  if (verdict.kind === 'stop') return verdict.why;
  using place = openPlace(root, path, { create: verdict.kind === 'act' });
  const { folder, name } = place;
  if (folder === undefined || to === undefined) return 'A file or link stands where its folder should be.';
  if (verdict.kind === 'nothing-to-do') {
    dropTemporary(folder, name);
    return undefined;
  }
  removeEmptyTree(folder, name);
  await writeEntry({ folder, name, entry: to, content: contents.read(to.oid) });
  return undefined;
}

async function judged(root: Folder, change: TreeChange, leaving: ReadonlySet<string>): Promise<string | undefined> {
  const verdict = await judgeChange(root, change, leaving);
  return verdict.kind === 'stop' ? verdict.why : undefined;
}

/** What one path meets is an outcome and does not stop the others; a bug does. */
async function attempt(change: TreeChange, act: () => Promise<string | undefined>): Promise<RestoredFile> {
  const file: FileChange = { path: change.path, kind: kindOf(change) };
  try {
    const detail = await act();
    return detail === undefined ? { ...file, status: 'done' } : { ...file, status: 'skipped', detail };
  } catch (error) {
    return { ...file, status: 'skipped', detail: sentenceOf(error) };
  }
}

function kindOf({ from, to }: TreeChange): FileChange['kind'] {
  if (from === undefined) return 'added';
  return to === undefined ? 'removed' : 'changed';
}

function sentenceOf(error: unknown): string {
  if (error instanceof Failure) return error.message;
  const code = errorCode(error);
  if (code === undefined) throw error;
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return 'The disk is full. Free some space, then run the same command again.';
  if (code === 'EACCES' || code === 'EPERM') return 'It may not be read or changed.';
  return `The file system refused it: ${code}.`;
}

/** A folder in the way of a file, when nothing but empty folders is in it. Whatever else is there makes this fail. */
function removeEmptyTree(folder: Folder, name: Buffer): void {
  {
    using inner = folder.open(name);
    if (inner === undefined) return;
    for (const child of inner.names()) removeEmptyTree(inner, child);
  }
  rmdirSync(folder.at(name));
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
  try {
    using place = openPlace(root, path, { create: false });
    if (place.folder !== undefined) rmdirSync(place.folder.at(place.name));
  } catch (error) {
    // It holds something, or may not be removed: then it stays, and does no harm.
    if (errorCode(error) === undefined) throw error;
  }
}
