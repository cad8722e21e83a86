import { Failure } from '../core/failure.ts';
import { type Checkpoint, type RestoredFile, shortId } from '../core/retention/checkpoint.ts';
import type { Run } from '../core/retention/run.ts';
import { uuidV7 } from '../platform/machine/uuid-v7.ts';
import type { CheckpointParts } from './checkpoint-parts.ts';
import { findSnapshot } from './store/find-snapshot.ts';
import type { CheckpointStore } from './store/open-store.ts';
import { previewRestore } from './restore/restore-preview.ts';
import { restoreSnapshot } from './restore/restore-snapshot.ts';

export interface CheckpointRestoreOptions {
  /** Only these, literal and relative to the working directory; a folder means all that lies in it. */
  readonly paths?: readonly string[];
  /** The conversation goes back to the same turn: its later messages are hidden, kept for search, and shown again by an undo. */
  readonly withSession?: boolean;
  readonly signal?: AbortSignal;
  /** Told what became of each file. */
  readonly onFile?: (file: RestoredFile) => void;
}

export interface CheckpointRestoreResult {
  readonly checkpoint: Checkpoint;
  /** What was there before, saved first. */
  readonly safety: Checkpoint;
  /** What to undo; absent when nothing differed. */
  readonly run?: Run;
  readonly done: number;
  readonly skipped: number;
  /** Why the conversation was not taken back, although that was asked for. */
  readonly sessionDetail?: string;
}

/** Takes the files of a working directory back to a checkpoint of it. The caller holds the home's lock. */
export async function restoreCheckpoint(
  parts: CheckpointParts,
  store: CheckpointStore,
  { id, ...options }: CheckpointRestoreOptions & { readonly id: string },
): Promise<CheckpointRestoreResult> {
  return restoreTarget(parts, store, { target: (await findSnapshot(store, id)).checkpoint, ...options });
}

/** The same for a checkpoint at hand. */
export async function restoreTarget(
  parts: CheckpointParts,
  store: CheckpointStore,
  { target, ...options }: CheckpointRestoreOptions & { readonly target: Checkpoint },
): Promise<CheckpointRestoreResult> {
  const { journal, rewind } = parts.records();
  const now = parts.clock.now();
  const steps = restoreSnapshot(
    { store, journal, rewind },
    {
      target,
      runId: uuidV7(now),
      expiresAt: now + parts.trashGraceMs,
      paths: bytesOf(options.paths),
      ...(options.withSession === true && { session: sessionOf(target) }),
      ...(options.signal && { signal: options.signal }),
    },
  );
  const counts = { done: 0, skipped: 0 };
  let step = await steps.next();
  for (; step.done !== true; step = await steps.next()) {
    counts[step.value.status] += 1;
    options.onFile?.(step.value);
  }
  const { safety, runId, sessionDetail } = step.value;
  const run = runId === undefined ? undefined : await journal.run(runId);
  return {
    checkpoint: target,
    safety,
    ...counts,
    ...(run && { run }),
    ...(sessionDetail !== undefined && { sessionDetail }),
  };
}

export type PreviewOptions = Pick<CheckpointRestoreOptions, 'paths' | 'withSession' | 'signal'>;

export interface CheckpointRestorePreview {
  readonly checkpoint: Checkpoint;
  readonly files: readonly RestoredFile[];
}

/** What `restoreCheckpoint` would do now. */
export async function previewCheckpoint(
  store: CheckpointStore,
  { id, ...options }: PreviewOptions & { readonly id: string },
): Promise<CheckpointRestorePreview> {
  return previewTarget(store, { target: (await findSnapshot(store, id)).checkpoint, ...options });
}

/** The same for a checkpoint at hand. */
export async function previewTarget(
  store: CheckpointStore,
  { target, paths, withSession, signal }: PreviewOptions & { readonly target: Checkpoint },
): Promise<CheckpointRestorePreview> {
  if (withSession === true) sessionOf(target);
  const files: RestoredFile[] = [];
  for await (const file of previewRestore(store, { target, paths: bytesOf(paths), signal })) files.push(file);
  return { checkpoint: target, files };
}

function bytesOf(paths: readonly string[] | undefined): Buffer[] {
  return (paths ?? []).map((path) => Buffer.from(path));
}

function sessionOf({ id, sessionId, seq }: Checkpoint): { id: string; afterSeq: number } {
  if (sessionId !== undefined && seq !== undefined) return { id: sessionId, afterSeq: seq };
  throw new Failure('refused', `Checkpoint ${shortId(id)} does not say to which conversation it belongs.`, {
    hint: 'Leave out --with-session to take the files back alone.',
  });
}
