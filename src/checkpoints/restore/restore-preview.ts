import type { RestoredFile } from '../../core/retention/checkpoint.ts';
import { findWorkdir } from '../worktree/find-workdir.ts';
import type { CheckpointStore } from '../store/open-store.ts';
import { readWorktree } from '../worktree/read-worktree.ts';
import { previewWorktree } from '../worktree/worktree-change.ts';
import { Folder } from '../worktree/worktree-folder.ts';
import { EMPTY_TREE } from '../project/diff-trees.ts';
import { changesBetween } from './restore-changes.ts';
import { hiddenFiles, type SafetyRequest, treeWith } from './restore-safety.ts';

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
  using root = new Folder(workdir);
  const hidden = await hiddenFiles(store, { workdir, root }, visible);
  const tree = await treeWith(store, { workdir, tree: now.tree, hidden, signal });
  yield* previewWorktree({ root, changes: await changesBetween(store, { from: { tree }, to: target, paths }) });
}
