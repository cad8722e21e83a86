import type { CheckpointRestoreRequest } from '../../core/retention/checkpoint.ts';
import type { HomeDriver } from '../../core/retention/home-driver.ts';
import { done, skip } from '../../core/retention/item-outcome.ts';
import type { ItemOutcome, Journal, RunItem } from '../../core/retention/run.ts';
import type { SessionRewind } from '../../core/stores/session-rewind.ts';
import { errorCode } from '../../platform/error-code.ts';
import { GitError } from '../../platform/git/run-git.ts';
import { diffTrees } from '../project/diff-trees.ts';
import { pathFilter } from './restore-paths.ts';
import { changeRefs } from '../store/change-refs.ts';
import { shareStore } from './heal-store.ts';
import { type CheckpointStore, LOCK_WAIT_MS } from '../store/open-store.ts';
import { keepRef } from '../store/store-layout.ts';
import { changeWorktree } from './worktree-change.ts';
import { Folder } from './worktree-folder.ts';

export interface WorktreeParts {
  /** The store, if there is one by now. */
  readonly findStore: () => CheckpointStore | undefined;
  readonly journal: Journal;
  readonly rewind: SessionRewind;
}

/** The part of a driver that undoes restores: items of the kinds `worktree` and `conversation`. */
export function createWorktreeDriver(parts: WorktreeParts): Pick<HomeDriver, 'discard' | 'restore' | 'purge'> {
  return {
    discard: (runId, items) => each(items, (item) => callOff(parts, runId, item)),
    restore: (runId, items) => each(items, (item) => putBack(parts, runId, item)),
    purge: (runId, items) => each(items, (item) => forget(parts, runId, item)),
  };
}

async function each(items: readonly RunItem[], act: (item: RunItem) => Promise<ItemOutcome>): Promise<ItemOutcome[]> {
  const outcomes: ItemOutcome[] = [];
  for (const item of items) outcomes.push(await act(item));
  return outcomes;
}

/** Only recovery asks for this: a restore that was cut short before it changed a file is not carried out later. */
async function callOff(parts: WorktreeParts, runId: string, item: RunItem): Promise<ItemOutcome> {
  if (item.item.kind === 'conversation') await parts.rewind.bringBack(runId, requestOf(item));
  else await forget(parts, runId, item);
  return skip(item, 'The restore was cut short before it began.');
}

async function putBack(parts: WorktreeParts, runId: string, item: RunItem): Promise<ItemOutcome> {
  if (item.item.kind === 'conversation') return parts.rewind.bringBack(runId, requestOf(item));
  const request = (await parts.journal.run(runId))?.request;
  const store = parts.findStore();
  if (request?.kind !== 'restore-checkpoint') return skip(item, 'Its run does not say what it went back to.');
  if (store === undefined) return skip(item, 'The checkpoint store is not there.');
  try {
    const detail = await putFilesBack(store, request);
    return detail === undefined ? await forget(parts, runId, item) : skip(item, detail);
  } catch (error) {
    if (error instanceof GitError) return skip(item, 'What was there before cannot be read from the checkpoint store.');
    const code = errorCode(error);
    if (code === undefined) throw error;
    return skip(item, NOT_THERE.has(code) ? 'The folder is not there.' : `The file system refused it: ${code}.`);
  }
}

const NOT_THERE = new Set(['ENOENT', 'ENOTDIR', 'ELOOP']);

/** From what the restore wrote to what was there before it. What was changed since then is neither, and stays. */
async function putFilesBack(store: CheckpointStore, request: CheckpointRestoreRequest): Promise<string | undefined> {
  const { gitDir } = store.layout;
  using _project = await store.projectLock(request.projectId).alone(LOCK_WAIT_MS);
  using _store = await shareStore(store, LOCK_WAIT_MS);
  const isWanted = pathFilter(request.paths?.map((path) => Buffer.from(path, 'latin1')));
  const all = await diffTrees(gitDir, { from: request.checkpointId, to: request.safetyId });
  const changes = all.filter(({ path }) => isWanted(path));
  const left: string[] = [];
  using root = new Folder(request.workdir);
  for await (const file of changeWorktree({ layout: store.layout, workdir: request.workdir, root, changes })) {
    if (file.status === 'skipped') left.push(`${file.path.toString()}: ${file.detail}`);
  }
  if (left.length === 0) return undefined;
  return `Not put back: ${left.length} of ${changes.length} files. ${left.slice(0, SHOWN).join(' ')}`;
}

const SHOWN = 3;

/** Nothing of it can be undone any more: without these refs both states may go when the rules for checkpoints say so. */
async function forget({ findStore }: WorktreeParts, runId: string, item: RunItem): Promise<ItemOutcome> {
  const store = findStore();
  if (store !== undefined && item.item.kind === 'worktree') {
    const lines = [`delete ${keepRef(runId, 'target')}`, `delete ${keepRef(runId, 'safety')}`];
    await changeRefs(store, lines);
  }
  return done(item);
}

function requestOf({ number, item, fingerprint }: RunItem) {
  return { number, id: item.id, afterSeq: Number(fingerprint) };
}
