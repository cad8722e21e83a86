import type { CheckpointDetail } from '../../checkpoints/home-checkpoints.ts';
import type { StoreVerdict } from '../../checkpoints/reclaim/verify-store.ts';
import type { Checkpoint, TakeResult } from '../../core/retention/checkpoint.ts';
import { isoTime } from '../../core/time.ts';

/** A checkpoint as programs see it, on the command line and over HTTP. */
export function checkpointDocument({ takenAt, ...rest }: Checkpoint) {
  return { ...rest, takenAt: isoTime(takenAt) };
}

/** What is shown of a checkpoint: of the one before it, only which it is. */
export interface ShownCheckpoint extends Omit<CheckpointDetail, 'previous'> {
  readonly previous?: Pick<Checkpoint, 'id'>;
}

/** The same with what is new in it. */
export function checkpointDetailDocument({ checkpoint, previous, changes }: ShownCheckpoint) {
  return {
    ...checkpointDocument(checkpoint),
    ...(previous !== undefined && { previousId: previous.id }),
    changes,
  };
}

/** What became of a request for a checkpoint that was not refused. */
export function takeDocument({ status, checkpoint, leftOut }: Exclude<TakeResult, { status: 'refused' }>) {
  return { status, ...checkpointDocument(checkpoint), leftOut };
}

/** Whether every checkpoint is what was saved. */
export function verdictDocument({ checkpoints, problems }: StoreVerdict) {
  return { checkpoints, ok: problems.length === 0, problems };
}
