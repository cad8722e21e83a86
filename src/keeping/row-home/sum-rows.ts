import { setImmediate } from 'node:timers/promises';
import type { Database } from 'better-sqlite3';

/** Gives others a turn where this process had one for long enough. */
export type Breathe = () => Promise<void>;

const TURN_MS = 15;

export function createBreathing(signal?: AbortSignal): Breathe {
  let turnEndsAt = performance.now() + TURN_MS;
  return async () => {
    if (performance.now() < turnEndsAt) return;
    await setImmediate();
    signal?.throwIfAborted();
    turnEndsAt = performance.now() + TURN_MS;
  };
}

export interface SummedTable {
  readonly table: string;
  /** The column that says of which session a row is. */
  readonly session: string;
  /** The column that is large. */
  readonly content: string;
}

export interface RowSum {
  readonly rows: number;
  readonly bytes: number;
}

const STEP_ROWS = 5000;

/** What the rows of each session hold, in steps. Their lengths stand before them, so what is long is not read. */
export async function sumRows(
  db: Database,
  { table, session, content }: SummedTable,
  breathe: Breathe,
): Promise<ReadonlyMap<string, RowSum>> {
  const sums = new Map<string, RowSum>();
  const step = db.prepare<[number], RowSum & { readonly id: unknown; readonly last: number }>(
    `SELECT id, count(*) AS rows, sum(bytes) AS bytes, max(place) AS last FROM (SELECT ${session} AS id,
     coalesce(octet_length(${content}), 0) AS bytes, rowid AS place FROM ${table} WHERE rowid > ? ORDER BY rowid LIMIT ${STEP_ROWS})
     GROUP BY id`,
  );
  for (let after = Number.MIN_SAFE_INTEGER; ; ) {
    const found = step.all(after);
    if (found.length === 0) return sums;
    for (const { id, rows, bytes, last } of found) {
      after = Math.max(after, last);
      if (typeof id !== 'string') continue;
      const before = sums.get(id) ?? { rows: 0, bytes: 0 };
      sums.set(id, { rows: before.rows + rows, bytes: before.bytes + bytes });
    }
    await breathe();
  }
}
