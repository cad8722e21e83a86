import type { ArchiveCodec, ArchivedSession, BundleUse } from '../../../core/stores/session-archive.ts';
import { factsOf, type SessionRow } from '../../rows/session-rows.ts';
import type { Sql } from '../database/sql.ts';

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

const SELECT = `SELECT s.*, a.run_id AS archive_run, a.run_number AS archive_number, bundle, offset_bytes,
  length_bytes, codec, sha256, plain_bytes, line_count FROM coppice.archives a JOIN coppice.sessions s ON s.key = a.session_key
  WHERE a.space = :space`;

const OF_ITEM = 'AND a.run_id = ? AND a.run_number = ?';
const OF_ID = `AND s.id = ? AND s.state = 'archived'`;

/** What a run archived under this number, in the trash or not. */
export function archivedRow(sql: Sql, run: string, number: number): Promise<ArchivedRow | undefined> {
  return sql.get<ArchivedRow>(`${SELECT} ${OF_ITEM}`, run, number);
}

/** The same for whoever changes it. */
export function lockArchivedRow(tx: Sql, run: string, number: number): Promise<ArchivedRow | undefined> {
  return tx.get<ArchivedRow>(`${SELECT} ${OF_ITEM} FOR UPDATE`, run, number);
}

/** The archived session with this id. */
export function archivedById(sql: Sql, id: string): Promise<ArchivedRow | undefined> {
  return sql.get<ArchivedRow>(`${SELECT} ${OF_ID}`, id);
}

export function lockArchivedById(tx: Sql, id: string): Promise<ArchivedRow | undefined> {
  return tx.get<ArchivedRow>(`${SELECT} ${OF_ID} FOR UPDATE`, id);
}

/** A page at a time, by key. */
export async function* listArchived(sql: Sql, bundle: string | undefined): AsyncGenerator<ArchivedSession> {
  const page = (after: number) =>
    sql.all<ArchivedRow>(
      `${SELECT} AND session_key > ? AND bundle = coalesce(?, bundle) AND s.state = 'archived' ORDER BY session_key LIMIT 500`,
      after,
      bundle,
    );
  for (let rows = await page(0); rows.length > 0; ) {
    for (const row of rows) yield archivedOf(row);
    rows = await page(rows.at(-1)?.key ?? 0);
  }
}

export function bundleUses(sql: Sql): Promise<readonly BundleUse[]> {
  return sql.all<BundleUse>(
    `SELECT bundle AS name, count(*) AS "memberCount", sum(length_bytes)::bigint AS "usedBytes",
       coalesce(sum(length_bytes) FILTER (WHERE s.state = 'trashed'), 0)::bigint AS "trashedBytes"
     FROM coppice.archives a JOIN coppice.sessions s ON s.key = a.session_key WHERE a.space = :space
     GROUP BY bundle ORDER BY bundle`,
  );
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
export async function promptsOf(sql: Sql, key: number): Promise<string> {
  const page = (after: number) =>
    sql.all<{ seq: number; text: string }>(
      `SELECT seq, substr(text, 1, ${PROMPT_CHARACTERS}) AS text FROM coppice.messages
       WHERE session_key = ? AND seq > ? AND role = 'user' ORDER BY seq LIMIT 100`,
      key,
      after,
    );
  let prompts = '';
  for (let rows = await page(0); rows.length > 0 && prompts.length < ALL_CHARACTERS; ) {
    for (const { text } of rows) prompts += prompts === '' ? text : `\n${text}`;
    rows = await page(rows.at(-1)?.seq ?? 0);
  }
  return prompts.slice(0, ALL_CHARACTERS).toWellFormed();
}
