import type { Database } from 'better-sqlite3';
import { readTime } from '../../../core/read-time.ts';
import { textOf } from '../../../core/sessions/message-parts.ts';
import { parseObject } from '../../../keeping/row-home/parse-object.ts';
import type { RowSession } from '../../../keeping/row-home/row-agent.ts';
import { createBreathing, type RowSum, sumRows } from '../../../keeping/row-home/sum-rows.ts';
import { type GuestDatabase, hasColumns } from '../../../platform/sqlite/guest-database.ts';

type Cell = string | number | null;
type Name = 'previous' | 'model' | 'status' | 'name' | 'label' | 'pinned' | 'archived';
type WindowRow = Readonly<Record<Name | 'id' | 'key' | 'created' | 'updated', Cell>>;

/** What not every version has: where it is, and what it is called here. */
const OPTIONAL: readonly (readonly [table: 'w' | 'n', column: string, as: Name])[] = [
  ['w', 'previous_session_id', 'previous'],
  ['w', 'model', 'model'],
  ['w', 'status', 'status'],
  ['n', 'display_name', 'name'],
  ['n', 'label', 'label'],
  ['n', 'pinned_at', 'pinned'],
  ['n', 'archived_at', 'archived'],
];
const TABLES = { w: 'session_windows', n: 'session_nodes' } as const;

/**
 * The sessions of a database of OpenClaw. A conversation is known by its key and goes on in one window after the other, each of
 * which is a session of its own.
 */
export async function* openclawSessions(guest: GuestDatabase, signal?: AbortSignal): AsyncGenerator<RowSession> {
  const isKnown =
    hasColumns(guest, TABLES.w, ['session_id', 'session_key', 'created_at', 'updated_at']) &&
    hasColumns(guest, TABLES.n, ['session_key', 'current_session_id']) &&
    hasColumns(guest, 'transcript_events', ['session_id', 'seq', 'event_json']);
  if (!isKnown) return;
  const breathe = createBreathing(signal);
  const events = { table: 'transcript_events', session: 'session_id', content: 'event_json' };
  const sums = await sumRows(guest.db, events, breathe);
  const columns = OPTIONAL.map(([table, column, as]) =>
    hasColumns(guest, TABLES[table], [column]) ? `${table}.${column} AS ${as}` : `NULL AS ${as}`,
  );
  const rows = guest.db
    .prepare<[], WindowRow>(
      `SELECT w.session_id AS id, w.session_key AS key, w.created_at AS created, w.updated_at AS updated, ${columns.join(', ')}
       FROM session_windows AS w LEFT JOIN session_nodes AS n ON n.session_key = w.session_key ORDER BY w.created_at, w.session_id`,
    )
    .all();
  const folderOf = folders(guest.db);
  for (const row of rows) {
    await breathe();
    if (typeof row.id === 'string') yield told(row, row.id, { sum: sums.get(row.id), workdir: folderOf(row.id) });
  }
}

/** A conversation begins with where it takes place. */
function folders(db: Database): (id: string) => string | undefined {
  const first = db
    .prepare<[string], string | null>(
      'SELECT event_json FROM transcript_events WHERE session_id = ? ORDER BY seq LIMIT 1',
    )
    .pluck();
  return (id) => textOf(parseObject(first.get(id))?.['cwd']);
}

function told(
  row: WindowRow,
  id: string,
  { sum, workdir }: { readonly sum: RowSum | undefined; readonly workdir: string | undefined },
): RowSession {
  const title = textOf(row.name) ?? textOf(row.label) ?? textOf(row.key);
  const [key, model, parentId] = [textOf(row.key), textOf(row.model), textOf(row.previous)];
  const startedAt = readTime(row.created) ?? readTime(row.updated) ?? 0;
  return {
    id,
    ...(key !== undefined && { key }),
    ...(title !== undefined && { title }),
    ...(workdir !== undefined && { workdir }),
    ...(model !== undefined && { model }),
    ...(parentId !== undefined && { parentId, childKind: 'reset' }),
    startedAt,
    lastActiveAt: Math.max(startedAt, readTime(row.updated) ?? 0),
    ...(row.archived !== null && { tags: ['openclaw:archived'] }),
    ...(row.pinned !== null && { pinned: true }),
    usageByModel: [],
    messageRows: sum?.rows ?? 0,
    rowBytes: sum?.bytes ?? 0,
    ...(row.status === 'running' && { unfinished: true }),
  };
}
