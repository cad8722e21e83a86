import { type Checkpoint, shortId } from '../../core/retention/checkpoint.ts';
import type { EpochMs } from '../../core/time.ts';
import { formatAge, formatCount } from '../print/format.ts';
import type { Column } from '../print/table.ts';

export interface ColumnOptions {
  readonly now: EpochMs;
  /** More than one project is listed. */
  readonly all: boolean;
}

/** Checkpoints as a table. */
export function checkpointColumns(checkpoints: readonly Checkpoint[], { now, all }: ColumnOptions) {
  const columns: Column[] = [
    { title: 'ID' },
    { title: 'TAKEN' },
    { title: 'FILES', align: 'right' },
    { title: 'PIN' },
    ...(all ? [{ title: 'FOLDER', shrink: true, minWidth: 20 }] : []),
    { title: 'REASON', shrink: true, minWidth: 10 },
  ];
  const rows = checkpoints.map((checkpoint) => [
    shortId(checkpoint.id),
    formatAge(checkpoint.takenAt, now),
    formatCount(checkpoint.fileCount),
    checkpoint.pinned ? 'pinned' : '',
    ...(all ? [checkpoint.workdir] : []),
    checkpoint.reason,
  ]);
  return { columns, rows };
}
