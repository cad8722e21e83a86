import type { CheckpointDiff } from '../../checkpoints/restore/diff-checkpoints.ts';
import type { CheckpointRestorePreview, CheckpointRestoreResult } from '../../checkpoints/restore-checkpoint.ts';
import type { Checkpoint, FileDiff, RestoredFile } from '../../core/retention/checkpoint.ts';
import { checkpointDocument } from './checkpoint-document.ts';
import { runDocument } from './run-document.ts';

/** What is shown of a difference: of the two states, only which they are. */
export interface ShownDiff extends Pick<CheckpointDiff, 'files'> {
  readonly from: Pick<Checkpoint, 'id' | 'workdir'>;
  readonly to?: Pick<Checkpoint, 'id'>;
}

/** What two states differ in, as programs see it. Bytes of names that are no text show as replacement characters. */
export function diffDocument({ from, to, files }: ShownDiff) {
  return {
    from: from.id,
    ...(to !== undefined && { to: to.id }),
    workdir: from.workdir,
    files: files.map(fileDocument),
  };
}

/** What a restore would do. */
export function previewDocument({ checkpoint, files }: CheckpointRestorePreview) {
  return { dryRun: true, checkpoint: checkpointDocument(checkpoint), files: files.map(fileDocument) };
}

/** What a restore did. */
export function restoreDocument(result: CheckpointRestoreResult, files: readonly RestoredFile[]) {
  const { checkpoint, safety, run, done, skipped, sessionDetail } = result;
  return {
    dryRun: false,
    checkpoint: checkpointDocument(checkpoint),
    safety: checkpointDocument(safety),
    ...(run !== undefined && { run: runDocument(run) }),
    done,
    skipped,
    ...(sessionDetail !== undefined && { sessionDetail }),
    files: files.map(fileDocument),
  };
}

/** One file of them. */
export function fileDocument<T extends FileDiff | RestoredFile>(file: T): FileDocument<T> {
  return { ...file, path: file.path.toString() } as FileDocument<T>;
}

type FileDocument<T> = { readonly [K in keyof T]: K extends 'path' ? string : T[K] };
