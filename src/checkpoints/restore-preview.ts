import type { RestoredFile } from '../core/checkpoint.ts';
import { readWorktree } from './diff-worktree.ts';
import type { CheckpointStore } from './open-store.ts';
import { changesBetween } from './restore-changes.ts';
import { hiddenFiles, type SafetyRequest, treeWith } from './restore-safety.ts';
import { findWorkdir } from './restore-workdir.ts';
import { previewWorktree } from './worktree-change.ts';

/** What a restore would do now, path by path. Changes nothing, and saves no checkpoint. */
export async function* previewRestore(store: CheckpointStore, request: SafetyRequest): AsyncGenerator<RestoredFile> {
  const { target, paths, signal } = request;
  const { workdir } = target;
  if (findWorkdir(store, target) === 'gone') {
    const all = await changesBetween(store, { from: { tree: EMPTY_TREE }, to: target, paths });
    for (const { path } of all) yield { path, kind: 'added', status: 'done' };
    return;
  }
  using now = await readWorktree(store, workdir, signal);
  const visible = await changesBetween(store, { from: now, to: target, paths });
  const hidden = await hiddenFiles(store, workdir, visible);
  const tree = await treeWith(store, { workdir, tree: now.tree, hidden, signal });
  yield* previewWorktree({ workdir, changes: await changesBetween(store, { from: { tree }, to: target, paths }) });
}

/** The name that git gives to a tree without files. */
const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
