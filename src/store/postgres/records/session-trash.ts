import { done, skip } from '../../../core/retention/item-outcome.ts';
import type { ItemOutcome } from '../../../core/retention/run.ts';
import type { HideOptions, SessionTrash, TrashRequest } from '../../../core/stores/session-trash.ts';
import type { Clock } from '../../../core/time.ts';
import type { Database } from '../database/database.ts';
import type { Sql } from '../database/sql.ts';
import { dropRows } from '../sessions/session-removal.ts';
import { findKeptRow, findRow } from '../sessions/session-writes.ts';
import type { WriteTurn } from '../writing/write-turn.ts';
import { forgetAnswers } from './forget-answers.ts';
import { eraseTrace, hiddenRow, hideRow, type Step, takeableRow } from './take-row.ts';
import { returnFiles, takeFiles } from './taken-files.ts';

/** Few enough that nobody waits long for the rows of one transaction. */
const STEP = 50;

/** Takes sessions out of sight and back, by a state in their row. */
export function createSessionTrash(db: Database, write: WriteTurn, clock: Clock): SessionTrash {
  const each = async (
    requests: readonly TrashRequest[],
    act: (tx: Sql, request: TrashRequest) => Promise<ItemOutcome>,
  ) => {
    const outcomes: ItemOutcome[] = [];
    for (let first = 0; first < requests.length; first += STEP) {
      const some = await write(async (tx) => {
        const inThisStep: ItemOutcome[] = [];
        for (const request of requests.slice(first, first + STEP)) inThisStep.push(await act(tx, request));
        return inThisStep;
      });
      outcomes.push(...some);
    }
    return outcomes;
  };
  return {
    hide: (run, requests, options) =>
      each(requests, (tx, request) => hide(tx, { run, request, ...options, now: clock.now() })),
    show: (run, requests, files) => each(requests, (tx, request) => show(tx, { run, request, files })),
    async drop(run, requests) {
      await forgetAnswers(db, write, new Set(requests.map(({ id }) => id)));
      const rows = await db.all<{ key: number }>(
        'SELECT key FROM coppice.sessions WHERE space = :space AND run_id = ? AND run_number = ANY (?::bigint[])',
        run,
        requests.map(({ number }) => number),
      );
      if (rows.length > 0) {
        await dropRows(
          write,
          rows.map(({ key }) => key),
        );
      }
    },
    takeFiles: (run, request, options) => write((tx) => takeFiles(tx, { run, request, ...options })),
    returnFiles: (run, request, files) => write((tx) => returnFiles(tx, { run, request, files })),
    sizeBytes: () => tablesBytes(db),
    hiddenBytes: () => hiddenBytes(db),
    // The server cleans up after removals by itself, and uses again what they leave.
    owesSpace: async () => false,
    giveBack: async () => 0,
  };
}

async function hide(tx: Sql, step: Step & HideOptions & { readonly now: number }): Promise<ItemOutcome> {
  const { run, request, files, now } = step;
  if ((await hiddenRow(tx, run, request.number)) !== undefined) {
    // Hidden before a crash, and a power cut may have undone the move. What is under an id in use again belongs to another.
    if ((await findRow(tx, request.id)) === undefined) files.take(request);
    return done(request);
  }
  const row = await takeableRow(tx, step);
  if (typeof row === 'string') return skip(request, row);
  return hideRow(tx, row, { run, number: request.number, now });
}

async function show(tx: Sql, { run, request, files }: Step): Promise<ItemOutcome> {
  const { number, id } = request;
  const row = await hiddenRow(tx, run, number);
  const taken = (await findKeptRow(tx, id)) !== undefined;
  if (row === undefined && !taken) return skip(request, 'Its messages are gone for good.');
  if (row !== undefined && taken) return skip(request, 'Another session has its id by now.');
  const obstacle = files.bringBack(request);
  // Shown before a crash: the row is live again, under its own id.
  if (row === undefined) return done(request);
  if (obstacle !== undefined) return skip(request, obstacle);
  await tx.run(
    `UPDATE coppice.sessions SET state = 'live', id = ?, run_id = NULL, run_number = NULL WHERE key = ?`,
    id,
    row.key,
  );
  await eraseTrace(tx, run, id);
  return done(request);
}

/** Of what was archived before it went into the trash nothing is here. */
async function hiddenBytes(sql: Sql): Promise<ReadonlyMap<string, number>> {
  const sums = await sql.all<{ run: string; bytes: number }>(
    `SELECT run_id AS run, sum(content_bytes)::bigint AS bytes FROM coppice.sessions
     WHERE space = :space AND state = 'trashed' AND key NOT IN (SELECT session_key FROM coppice.archives WHERE space = :space)
     GROUP BY run_id`,
  );
  return new Map(sums.map(({ run, bytes }) => [run, bytes]));
}

/** What all tables take on the disk of the server, those of other homes in the database too: they share their pages. */
async function tablesBytes(sql: Sql): Promise<number> {
  const row = await sql.get<{ bytes: number }>(
    `SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint AS bytes FROM pg_class c
     JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'coppice' AND c.relkind = 'r'`,
  );
  return row?.bytes ?? 0;
}
