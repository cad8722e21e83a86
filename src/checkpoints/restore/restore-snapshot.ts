import { Failure } from '../../core/failure.ts';
import type { Checkpoint, CheckpointRestoreRequest, RestoredFile } from '../../core/retention/checkpoint.ts';
import type { Journal, RunItem } from '../../core/retention/run.ts';
import type { SessionRewind } from '../../core/stores/session-rewind.ts';
import type { EpochMs } from '../../core/time.ts';
import { changeRefs } from '../store/change-refs.ts';
import { openWorkdir } from '../worktree/find-workdir.ts';
import { shareStore } from '../worktree/heal-store.ts';
import { type CheckpointStore, LOCK_WAIT_MS } from '../store/open-store.ts';
import { promiseRefs } from '../store/promised-refs.ts';
import { keepRef } from '../store/store-layout.ts';
import { changeWorktree } from '../worktree/worktree-change.ts';
import { saveBefore } from './restore-safety.ts';

export interface RestoreParts {
  readonly store: CheckpointStore;
  readonly journal: Journal;
  readonly rewind: SessionRewind;
}

export interface Restore {
  readonly runId: string;
  /** Until when it can be undone. */
  readonly expiresAt: EpochMs;
  readonly target: Checkpoint;
  /** Only these, literal and relative to the working directory; a folder means all that lies in it. */
  readonly paths?: readonly Buffer[];
  /** A conversation that goes back with the files: what came after this message is hidden. */
  readonly session?: { readonly id: string; readonly afterSeq: number };
  readonly signal?: AbortSignal;
}

export interface RestoreReport {
  /** What the files were before: where an undo goes. */
  readonly safety: Checkpoint;
  /** Absent when nothing differed, so that nothing was done. */
  readonly runId?: string;
  /** Why the conversation was not taken back, although that was asked for. */
  readonly sessionDetail?: string;
}

/**
 * Takes the files of a working directory back to a checkpoint. What they are now is saved first, and the run is on record as
 * something to undo before the first file changes. Only what differs is touched; every path is an outcome.
 */
export async function* restoreSnapshot(
  parts: RestoreParts,
  restore: Restore,
): AsyncGenerator<RestoredFile, RestoreReport> {
  const { store, journal } = parts;
  const { target, runId } = restore;
  using _project = await store.projectLock(target.projectId).alone(LOCK_WAIT_MS);
  using _store = await shareStore(store, LOCK_WAIT_MS);
  using root = openWorkdir(store, target);
  const { safety, changes } = await saveBefore(store, { ...restore, root, paths: restore.paths ?? [] });
  // Git was told a path, so what it saved may be of another folder that stands there by now.
  if (!root.isAt(target.workdir)) throw notInPlace(target.workdir);
  if (changes.length === 0 && restore.session === undefined) return { safety };
  const sessionDetail = await record(parts, restore, safety);
  try {
    const { layout } = store;
    const { signal } = restore;
    yield* changeWorktree({ layout, workdir: target.workdir, root, changes, ...(signal && { signal }) });
  } finally {
    await journal.finish(runId, store.clock.now());
  }
  return { safety, runId, ...(sessionDetail !== undefined && { sessionDetail }) };
}

function notInPlace(workdir: string): Failure {
  return new Failure('refused', `${workdir} was moved or replaced while it was being saved.`, {
    hint: 'Nothing was changed. Put it back in its place, then run the same command again.',
  });
}

/**
 * Intent first, then the refs that keep both states until the undo is over, then the mark that makes it something to undo. A
 * conversation goes back before the first file does. Returns why it did not.
 */
async function record(parts: RestoreParts, restore: Restore, safety: Checkpoint): Promise<string | undefined> {
  const { store, journal, rewind } = parts;
  const { runId, target, expiresAt, session } = restore;
  await journal.begin({ id: runId, request: requestOf(restore, safety), startedAt: store.clock.now(), expiresAt });
  await journal.intend(runId, itemsOf(restore));
  using _promises = promiseRefs(store.layout, [target.id, safety.id]);
  await changeRefs(store, [
    `update ${keepRef(runId, 'target')} ${target.id}`,
    `update ${keepRef(runId, 'safety')} ${safety.id}`,
  ]);
  const outcome = session && (await rewind.takeBack(runId, { number: CONVERSATION, ...session }));
  const detail = outcome?.status === 'skipped' ? outcome.detail : undefined;
  const state = detail === undefined ? ('trashed' as const) : ('skipped' as const);
  await journal.mark(runId, [
    { number: FILES, state: 'trashed' },
    ...(session === undefined ? [] : [{ number: CONVERSATION, state, ...(detail !== undefined && { detail }) }]),
  ]);
  return detail;
}

const FILES = 1;
const CONVERSATION = 2;

function requestOf({ target, paths }: Restore, safety: Checkpoint): CheckpointRestoreRequest {
  return {
    kind: 'restore-checkpoint',
    projectId: target.projectId,
    workdir: target.workdir,
    checkpointId: target.id,
    safetyId: safety.id,
    ...(paths !== undefined && paths.length > 0 && { paths: paths.map((path) => path.toString('latin1')) }),
  };
}

function itemsOf({ target, session }: Restore): Omit<RunItem, 'state'>[] {
  const common = { action: 'take-back', reason: 'named', sizeBytes: 0, skipsTrash: false } as const;
  const files = { kind: 'worktree', id: target.workdir } as const;
  const conversation = session && ({ kind: 'conversation', id: session.id } as const);
  return [
    { ...common, number: FILES, item: files, fingerprint: target.id },
    ...(conversation
      ? [{ ...common, number: CONVERSATION, item: conversation, fingerprint: String(session.afterSeq) }]
      : []),
  ];
}
