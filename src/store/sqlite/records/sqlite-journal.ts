import type { Journal, RunItem, RunItemState } from '../../../core/retention/run.ts';
import type { FilterName } from '../../../core/sessions/session-filters.ts';
import { MAX_BATCH } from '../../../core/stores/session-writer.ts';
import type { Connection } from '../database/connection.ts';
import type { WriteQueue } from '../writing/write-queue.ts';
import { type ItemRow, itemOf, type RunRow, runOf } from '../../rows/run-rows.ts';

/** The journal of runs, in the same database as the sessions. */
export function createJournal(db: Connection, queue: WriteQueue): Journal {
  return {
    async begin(run) {
      await queue.run(() => {
        const insert = db.sql('INSERT INTO runs (id, request, started_at, expires_at) VALUES (?, ?, ?, ?)');
        insert.run(run.id, JSON.stringify(run.request), run.startedAt, run.expiresAt);
      });
    },
    async intend(runId, items) {
      await queue.run(() => insertItems(db, runId, items), items.length);
    },
    async mark(runId, marks) {
      await queue.run(() => {
        const update = db.sql('UPDATE run_items SET state = ?, detail = ? WHERE run_id = ? AND number = ?');
        for (const { number, state, detail } of marks) update.run(state, detail ?? null, runId, number);
      }, marks.length);
    },
    async finish(runId, at) {
      await queue.run(() => void db.sql('UPDATE runs SET finished_at = ? WHERE id = ?').run(at, runId));
    },
    async unfinished() {
      return db.sql<[], string>(UNFINISHED).pluck().all();
    },
    async *runs() {
      const rows = db.sql<[], RunRow>('SELECT * FROM runs ORDER BY started_at DESC, id DESC').all();
      for (const row of rows) yield runOf(row);
    },
    async run(id) {
      const row = db.sql<[string], RunRow>('SELECT * FROM runs WHERE id = ?').get(id);
      return row && runOf(row);
    },
    async inTrash() {
      return db.sql<[], RunRow>(IN_TRASH).all().map(runOf);
    },
    async *items(runId, states = ALL_STATES) {
      yield* readItems(db, runId, states);
    },
    async forget({ before, newest }) {
      const ids = forgettable(db, { before, newest });
      for (let first = 0; first < ids.length; first += MAX_BATCH)
        await dropRuns(db, queue, ids.slice(first, first + MAX_BATCH));
      return ids.length;
    },
    forgetWords: (ids) => queue.run(() => forgetWords(db, JSON.stringify(ids))),
    async totals(runId) {
      const rows = db.sql<[string], { state: RunItemState; items: number; sizeBytes: number }>(TOTALS).all(runId);
      return Object.fromEntries(rows.map(({ state, items, sizeBytes }) => [state, { items, sizeBytes }]));
    },
  };
}

const UNFINISHED = `SELECT DISTINCT run_id FROM run_items WHERE state IN ('intended', 'undoing', 'purging')
  UNION SELECT id FROM runs WHERE finished_at IS NULL`;

const IN_TRASH = `SELECT * FROM runs
  WHERE id IN (SELECT run_id FROM run_items WHERE state IN ('trashed', 'purging')) ORDER BY expires_at, id`;

const TOTALS = `SELECT state, count(*) AS items, sum(size_bytes) AS sizeBytes FROM run_items
  WHERE run_id = ? GROUP BY state`;

const ALL_STATES: readonly RunItemState[] = [
  'intended',
  'trashed',
  'archived',
  'skipped',
  'undoing',
  'restored',
  'purging',
  'purged',
];

/** The states after which nothing of an item is in the trash or the archive. */
const SETTLED = `('skipped', 'restored', 'purged')`;

function forgettable(db: Connection, { before, newest }: { before: number; newest: number }): readonly string[] {
  return db
    .sql<[number, number], string>(
      `SELECT id FROM runs WHERE finished_at IS NOT NULL
         AND (started_at < ? OR id NOT IN (SELECT id FROM runs ORDER BY started_at DESC, id DESC LIMIT ?))
         AND NOT EXISTS (SELECT 1 FROM run_items WHERE run_id = id AND state NOT IN ${SETTLED})`,
    )
    .pluck()
    .all(before, newest);
}

/** Items first, in short steps: what a crash leaves of a run is forgotten the next time. */
async function dropRuns(db: Connection, queue: WriteQueue, ids: readonly string[]): Promise<void> {
  const all = JSON.stringify(ids);
  const dropItems = db.sql<[string], unknown>(`DELETE FROM run_items WHERE (run_id, number) IN
    (SELECT run_id, number FROM run_items WHERE run_id IN (SELECT value FROM json_each(?)) LIMIT ${MAX_BATCH})`);
  while ((await queue.run(() => dropItems.run(all).changes, MAX_BATCH)) === MAX_BATCH);
  const dropThem = db.sql<[string], unknown>('DELETE FROM runs WHERE id IN (SELECT value FROM json_each(?))');
  await queue.run(() => void dropThem.run(all), ids.length);
}

/** By what a person may have asked for sessions in words of their own. What a session is counted by stays. */
const WORDS = [
  'title',
  'workdir',
  'project',
  'tags',
  'user',
  'chat',
  'branch',
] as const satisfies readonly FilterName[];
const WORD_PATHS = WORDS.map((name) => `'$.filter.${name}'`).join();

function forgetWords(db: Connection, ids: string): void {
  db.sql(`UPDATE runs SET request = json_remove(request, ${WORD_PATHS}) WHERE json_type(request, '$.filter') IS NOT NULL
    AND id IN (SELECT run_id FROM run_items WHERE kind = 'session' AND item_id IN (SELECT value FROM json_each(?)))`).run(
    ids,
  );
  // As earlier versions wrote it, with tags in it. Nothing compares it any more.
  db.sql(`UPDATE run_items SET fingerprint = '' WHERE kind = 'session' AND instr(fingerprint, '"') > 0
    AND state IN ${SETTLED} AND item_id IN (SELECT value FROM json_each(?))`).run(ids);
}

function insertItems(db: Connection, runId: string, items: readonly Omit<RunItem, 'state'>[]): void {
  const insert = db.sql(`INSERT INTO run_items (run_id, number, kind, item_id, action, reason, fingerprint, size_bytes,
    skips_trash, state) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'intended')`);
  for (const { number, item, action, reason, fingerprint, sizeBytes, skipsTrash } of items) {
    insert.run(runId, number, item.kind, item.id, action, reason, fingerprint, sizeBytes, skipsTrash ? 1 : 0);
  }
}

/** A page at a time, by number: a run may have a hundred thousand items. */
function* readItems(db: Connection, runId: string, states: readonly RunItemState[]): Generator<RunItem> {
  const page = db.sql<[string, number, string], ItemRow>(
    `SELECT *, CASE kind WHEN 'session' THEN coalesce(
         (SELECT title FROM sessions WHERE sessions.run_id = run_items.run_id AND run_number = number),
         (SELECT title FROM sessions WHERE id = item_id AND run_items.state <> 'purged')) END AS title
     FROM run_items WHERE run_id = ? AND number > ? AND state IN (SELECT value FROM json_each(?))
     ORDER BY number LIMIT 500`,
  );
  const wanted = JSON.stringify(states);
  for (let rows = page.all(runId, 0, wanted); rows.length > 0; ) {
    for (const row of rows) yield itemOf(row);
    rows = page.all(runId, rows.at(-1)?.number ?? 0, wanted);
  }
}
