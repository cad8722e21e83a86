import type { FileDiff, RestoredFile } from '../../core/checkpoint.ts';
import type { CheckpointDiff } from '../diff-checkpoints.ts';
import type { RestorePreview, RestoreResult } from '../restore-checkpoint.ts';
import { checkpointDocument } from './checkpoint-document.ts';
import { runDocument } from './run-document.ts';

/** What two states differ in, as programs see it. Bytes of names that are no text show as replacement characters. */
export function diffDocument({ from, to, files }: CheckpointDiff) {
  return { from: from.id, ...(to !== undefined && { to: to.id }), workdir: from.workdir, files: files.map(named) };
}

/** What a restore would do. */
export function previewDocument({ checkpoint, files }: RestorePreview) {
  return { dryRun: true, checkpoint: checkpointDocument(checkpoint), files: files.map(named) };
}

/** What a restore did. */
export function restoreDocument(result: RestoreResult, files: readonly RestoredFile[]) {
  const { checkpoint, safety, run, done, skipped, sessionDetail } = result;
  return {
    dryRun: false,
    checkpoint: checkpointDocument(checkpoint),
    safety: checkpointDocument(safety),
    ...(run !== undefined && { run: runDocument(run) }),
    done,
    skipped,
    ...(sessionDetail !== undefined && { sessionDetail }),
    files: files.map(named),
  };
}

function named<T extends FileDiff | RestoredFile>(file: T) {
  return { ...file, path: file.path.toString() };
}
