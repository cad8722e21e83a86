import type { ArchiveCodec, ArchivedSession, BundleUse } from '../../../core/stores/session-archive.ts';
import type { Connection } from '../database/connection.ts';
import { factsOf, type SessionRow } from '../../rows/session-rows.ts';

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
export async function* listArchived(db: Connection, bundle: string | undefined): AsyncGenerator<ArchivedSession> {
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
