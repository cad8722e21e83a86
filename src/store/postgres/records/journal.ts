import type { Journal, RunItem, RunItemState } from '../../../core/retention/run.ts';
import type { FilterName } from '../../../core/sessions/session-filters.ts';
import { MAX_BATCH } from '../../../core/stores/session-writer.ts';
import { type ItemRow, itemOf, type RunRow, runOf } from '../../rows/run-rows.ts';
import type { Database } from '../database/database.ts';
import type { Sql } from '../database/sql.ts';
import { wholeInstant } from '../sessions/session-list.ts';
import type { WriteTurn } from '../writing/write-turn.ts';

/** The journal of runs, in the same database as the sessions. */
export function createJournal(db: Database, write: WriteTurn): Journal {
  return {
    async begin(run) {
      await write((tx) =>
        tx.run(
          'INSERT INTO coppice.runs (space, id, request, started_at, expires_at) VALUES (:space, ?, ?, ?, ?)',
          run.id,
          JSON.stringify(run.request),
          run.startedAt,
          run.expiresAt,
        ),
      );
    },
    intend: (runId, items) => write((tx) => insertItems(tx, runId, items)),
    mark: (runId, marks) => write((tx) => markItems(tx, runId, marks)),
    async finish(runId, at) {
      await write((tx) => tx.run('UPDATE coppice.runs SET finished_at = ? WHERE space = :space AND id = ?', at, runId));
    },
    async unfinished() {
      return (await db.all<{ id: string }>(UNFINISHED)).map(({ id }) => id);
    },
    async *runs() {
      const rows = await db.all<RunRow>(
        'SELECT * FROM coppice.runs WHERE space = :space ORDER BY started_at DESC, id DESC',
      );
      for (const row of rows) yield runOf(row);
    },
    async run(id) {
      const row = await db.get<RunRow>('SELECT * FROM coppice.runs WHERE space = :space AND id = ?', id);
      return row && runOf(row);
    },
    async inTrash() {
      return (await db.all<RunRow>(IN_TRASH)).map(runOf);
    },
    async *items(runId, states) {
      yield* readItems(db, runId, states);
    },
    async forget(rule) {
      const ids = await forgettable(db, rule);
      for (let first = 0; first < ids.length; first += MAX_BATCH) {
        await dropRuns(write, ids.slice(first, first + MAX_BATCH));
      }
      return ids.length;
    },
    forgetWords: (ids) => write((tx) => forgetWords(tx, ids)),
    async totals(runId) {
      const rows = await db.all<{ state: RunItemState; items: number; bytes: number }>(
        `SELECT state, count(*) AS items, sum(size_bytes)::bigint AS bytes FROM coppice.run_items
         WHERE space = :space AND run_id = ? GROUP BY state`,
        runId,
      );
      return Object.fromEntries(rows.map(({ state, items, bytes }) => [state, { items, sizeBytes: bytes }]));
    },
  };
}

const UNFINISHED = `SELECT run_id AS id FROM coppice.run_items
  WHERE space = :space AND state IN ('intended', 'undoing', 'purging')
  UNION SELECT id FROM coppice.runs WHERE space = :space AND finished_at IS NULL ORDER BY id`;

const IN_TRASH = `SELECT * FROM coppice.runs WHERE space = :space AND id IN
  (SELECT run_id FROM coppice.run_items WHERE space = :space AND state IN ('trashed', 'purging')) ORDER BY expires_at, id`;

/** The states after which nothing of an item is in the trash or the archive. */
const SETTLED = `('skipped', 'restored', 'purged')`;

async function forgettable(
  sql: Sql,
  { before, newest }: { before: number; newest: number },
): Promise<readonly string[]> {
  const rows = await sql.all<{ id: string }>(
    `SELECT id FROM coppice.runs r WHERE space = :space AND finished_at IS NOT NULL
       AND (started_at < ? OR id NOT IN
         (SELECT id FROM coppice.runs WHERE space = :space ORDER BY started_at DESC, id DESC LIMIT ?))
       AND NOT EXISTS (SELECT 1 FROM coppice.run_items i WHERE i.space = :space AND i.run_id = r.id AND i.state NOT IN ${SETTLED})`,
    wholeInstant(before),
    Math.min(newest, Number.MAX_SAFE_INTEGER),
  );
  return rows.map(({ id }) => id);
}

/** Items first, in short steps: what a crash leaves of a run is forgotten the next time. */
async function dropRuns(write: WriteTurn, ids: readonly string[]): Promise<void> {
  const dropItems = `DELETE FROM coppice.run_items WHERE space = :space AND (run_id, number) IN
    (SELECT run_id, number FROM coppice.run_items WHERE space = :space AND run_id = ANY (?::text[]) LIMIT ${MAX_BATCH})`;
  while ((await write((tx) => tx.run(dropItems, ids))) === MAX_BATCH);
  await write((tx) => tx.run('DELETE FROM coppice.runs WHERE space = :space AND id = ANY (?::text[])', ids));
}

/** By what a person may have asked for sessions in words of their own. What a session is counted by stays. */
const WORDS = new Set<string>([
  'title',
  'workdir',
  'project',
  'tags',
  'user',
  'chat',
  'branch',
] as const satisfies readonly FilterName[]);

async function forgetWords(tx: Sql, ids: readonly string[]): Promise<void> {
  const rows = await tx.all<{ id: string; request: string }>(
    `SELECT id, request FROM coppice.runs WHERE space = :space AND strpos(request, '"filter":') > 0 AND id IN
       (SELECT i.run_id FROM coppice.run_items i JOIN unnest(?::text[]) AS g (id) ON md5(i.item_id) = md5(g.id) AND i.item_id = g.id
        WHERE i.space = :space AND i.kind = 'session') ORDER BY id FOR UPDATE`,
    ids,
  );
  for (const { id, request } of rows) {
    await tx.run('UPDATE coppice.runs SET request = ? WHERE space = :space AND id = ?', withoutWords(request), id);
  }
}

function withoutWords(request: string): string {
  const { filter, ...rest } = JSON.parse(request) as { readonly filter?: Readonly<Record<string, unknown>> };
  if (filter === undefined) return request;
  const kept = Object.entries(filter).filter(([name]) => !WORDS.has(name));
  return JSON.stringify({ ...rest, filter: Object.fromEntries(kept) });
}

async function insertItems(tx: Sql, runId: string, items: readonly Omit<RunItem, 'state'>[]): Promise<void> {
  await tx.run(
    `INSERT INTO coppice.run_items (space, run_id, number, kind, item_id, action, reason, fingerprint, size_bytes, skips_trash, state)
     SELECT :space, ?, i.*, 'intended' FROM unnest(?::bigint[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::bigint[],
       ?::smallint[]) i`,
    runId,
    items.map(({ number }) => number),
    items.map(({ item }) => item.kind),
    items.map(({ item }) => item.id),
    items.map(({ action }) => action),
    items.map(({ reason }) => reason),
    items.map(({ fingerprint }) => fingerprint),
    items.map(({ sizeBytes }) => sizeBytes),
    items.map(({ skipsTrash }) => Number(skipsTrash)),
  );
}

async function markItems(
  tx: Sql,
  runId: string,
  marks: readonly { number: number; state: RunItemState; detail?: string }[],
): Promise<void> {
  // The last word about an item counts, where several are said at once.
  const last = [...new Map(marks.map((mark) => [mark.number, mark])).values()];
  await tx.run(
    `UPDATE coppice.run_items i SET state = m.state, detail = m.detail
     FROM unnest(?::bigint[], ?::text[], ?::text[]) AS m (number, state, detail)
     WHERE i.space = :space AND i.run_id = ? AND i.number = m.number`,
    last.map(({ number }) => number),
    last.map(({ state }) => state),
    last.map(({ detail }) => detail ?? null),
    runId,
  );
}

/** A page at a time, by number: a run may have a hundred thousand items. */
async function* readItems(sql: Sql, runId: string, states?: readonly RunItemState[]): AsyncGenerator<RunItem> {
  const page = (after: number) =>
    sql.all<ItemRow>(
      `SELECT i.*, CASE kind WHEN 'session' THEN coalesce(
           (SELECT title FROM coppice.sessions s WHERE s.space = :space AND s.run_id = i.run_id AND s.run_number = i.number),
           (SELECT title FROM coppice.sessions s WHERE s.space = :space AND s.id = i.item_id AND i.state <> 'purged')) END AS title
       FROM coppice.run_items i WHERE i.space = :space AND i.run_id = ? AND i.number > ?
         AND (?::text[] IS NULL OR i.state = ANY (?::text[])) ORDER BY i.number LIMIT 500`,
      runId,
      after,
      states,
      states,
    );
  for (let rows = await page(0); rows.length > 0; ) {
    for (const row of rows) yield itemOf(row);
    rows = await page(rows.at(-1)?.number ?? 0);
  }
}
