import type { Checkpoint, TakeResult } from '../../core/checkpoint.ts';
import { isoTime } from '../../core/time.ts';
import type { CheckpointDetail } from '../checkpoints.ts';

/** A checkpoint as programs see it, on the command line and over HTTP. */
export function checkpointDocument({ takenAt, ...rest }: Checkpoint) {
  return { ...rest, takenAt: isoTime(takenAt) };
}

/** The same with what is new in it. */
export function checkpointDetailDocument({ checkpoint, previous, changes }: CheckpointDetail) {
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
