import type { ArchiveCodec, ArchivedSession, ArchiveRow, BundleUse } from '../../core/session-archive.ts';
import type { Connection } from './connection.ts';
import { nextPageSize } from './message-writes.ts';
import { factsOf, type SessionRow } from './session-rows.ts';
import { requireRow } from './session-writes.ts';

/** Every row of a live session: its own first, then usage, what was taken back, and its messages in order. */
export function* sessionRows(db: Connection, id: string): Generator<string> {
  const { key } = requireRow(db, id);
  const rowsOf = (sql: string) => db.sql<[number], ArchiveRow['row']>(sql).all(key);
  for (const row of rowsOf('SELECT * FROM sessions WHERE key = ?')) yield jsonOf('session', without(row, PLACE));
  for (const row of rowsOf('SELECT * FROM usage WHERE session_key = ? ORDER BY model'))
    yield jsonOf('usage', without(row, ['session_key']));
  for (const row of rowsOf('SELECT * FROM rewinds WHERE session_key = ? ORDER BY run_id'))
    yield jsonOf('rewind', without(row, ['session_key']));
  yield* messageRows(db, key);
}

/** Written by SQLite, a page at a time: messages that never become objects cost a fraction. */
function* messageRows(db: Connection, key: number): Generator<string> {
  const last = db.sql<[number], number | null>('SELECT max(seq) FROM messages WHERE session_key = ?').pluck().get(key);
  const select = db
    .sql<[number, number, number], string>(
      `SELECT json_object('kind', 'message', 'row',
         json_object('seq', seq, 'role', role, 'at', at, 'text', text, 'extra', extra))
       FROM messages WHERE session_key = ? AND seq >= ? AND seq < ? ORDER BY seq`,
    )
    .pluck();
  let pageSize = 16;
  for (let next = 1; next <= (last ?? 0); ) {
    const rows = select.all(key, next, next + pageSize);
    yield* rows;
    next += pageSize;
    pageSize = nextPageSize(
      pageSize,
      rows.reduce((sum, { length }) => sum + length, 0),
    );
  }
}

function jsonOf(kind: ArchiveRow['kind'], row: ArchiveRow['row']): string {
  return JSON.stringify({ kind, row } satisfies ArchiveRow);
}

/** Columns that say where a row is and not what the session was. */
const PLACE = ['key', 'state', 'run_id', 'run_number', 'archived_at'];

function without(row: ArchiveRow['row'], names: readonly string[]): ArchiveRow['row'] {
  return Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)));
}

export interface ArchivedRow extends SessionRow {
  readonly state: 'archived' | 'trashed';
  readonly archive_run: string;
  readonly archive_number: number;
  readonly bundle: string;
  readonly offset_bytes: number;
  readonly length_bytes: number;
  readonly codec: ArchiveCodec;
  readonly sha256: string;
  readonly plain_bytes: number;
  readonly line_count: number;
}

const SELECT = `SELECT sessions.*, archives.run_id AS archive_run, archives.run_number AS archive_number, bundle, offset_bytes,
  length_bytes, codec, sha256, plain_bytes, line_count FROM archives JOIN sessions ON key = session_key`;

/** What a run archived under this number, in the trash or not. */
export function archivedRow(db: Connection, run: string, number: number): ArchivedRow | undefined {
  return db
    .sql<[string, number], ArchivedRow>(`${SELECT} WHERE archives.run_id = ? AND archives.run_number = ?`)
    .get(run, number);
}

/** The archived session with this id. */
export function archivedById(db: Connection, id: string): ArchivedRow | undefined {
  return db.sql<[string], ArchivedRow>(`${SELECT} WHERE id = ? AND state = 'archived'`).get(id);
}

/** A page at a time, by key. */
export function* listArchived(db: Connection, bundle: string | undefined): Generator<ArchivedSession> {
  const page = db.sql<[number, string | null], ArchivedRow>(
    `${SELECT} WHERE session_key > ? AND bundle = coalesce(?, bundle) AND state = 'archived' ORDER BY session_key LIMIT 500`,
  );
  for (let rows = page.all(0, bundle ?? null); rows.length > 0; ) {
    for (const row of rows) yield archivedOf(row);
    rows = page.all(rows.at(-1)?.key ?? 0, bundle ?? null);
  }
}

export function bundleUses(db: Connection): readonly BundleUse[] {
  return db
    .sql<[], BundleUse>(
      `SELECT bundle AS name, count(*) AS memberCount, sum(length_bytes) AS usedBytes, sum(length_bytes * (state = 'trashed')) AS trashedBytes
       FROM archives JOIN sessions ON key = session_key GROUP BY bundle`,
    )
    .all();
}

export function archivedOf(row: ArchivedRow): ArchivedSession {
  return {
    runId: row.archive_run,
    number: row.archive_number,
    session: factsOf(row),
    member: {
      bundle: row.bundle,
      offsetBytes: row.offset_bytes,
      lengthBytes: row.length_bytes,
      codec: row.codec,
      sha256: row.sha256,
      plainBytes: row.plain_bytes,
      lineCount: row.line_count,
    },
  };
}

/** So much of what people asked is searched once a session is archived. */
const PROMPT_CHARACTERS = 2000;
const ALL_CHARACTERS = 50_000;

/** What people asked in a session, one message after the other. */
export function promptsOf(db: Connection, key: number): string {
  const page = db.sql<[number, number], { seq: number; text: string }>(
    `SELECT seq, substr(text, 1, ${PROMPT_CHARACTERS}) AS text FROM messages
     WHERE session_key = ? AND seq > ? AND role = 'user' ORDER BY seq LIMIT 100`,
  );
  let prompts = '';
  for (let rows = page.all(key, 0); rows.length > 0 && prompts.length < ALL_CHARACTERS; ) {
    for (const { text } of rows) prompts += prompts === '' ? text : `\n${text}`;
    rows = page.all(key, rows.at(-1)?.seq ?? 0);
  }
  return prompts.slice(0, ALL_CHARACTERS).toWellFormed();
}
