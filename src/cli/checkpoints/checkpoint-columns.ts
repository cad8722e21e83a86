import type { Checkpoint } from '../../core/checkpoint.ts';
import type { EpochMs } from '../../core/time.ts';
import { formatAge, formatCount } from '../format.ts';
import type { Column } from '../table.ts';

/** As much of an id as people are shown. */
export function shortId({ id }: Pick<Checkpoint, 'id'>): string {
  return id.slice(0, 12);
}

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
    shortId(checkpoint),
    formatAge(checkpoint.takenAt, now),
    formatCount(checkpoint.fileCount),
    checkpoint.pinned ? 'pinned' : '',
    ...(all ? [checkpoint.workdir] : []),
    checkpoint.reason,
  ]);
  return { columns, rows };
}
