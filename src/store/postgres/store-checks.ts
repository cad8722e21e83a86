import type { Problem } from '../../core/problem.ts';
import type { StoreCheck } from '../../core/stores/session-reader.ts';
import type { Database } from './database/database.ts';
import type { Sql } from './database/sql.ts';
import { searchedText } from './search/searched-text.ts';

/** Looks for disagreement between the tables of a home. Damage of pages is the server's to find. Changes nothing. */
export async function* checkStore(db: Database): AsyncGenerator<StoreCheck> {
  yield { name: 'references between tables', problems: await referenceProblems(db) };
  yield { name: 'message counts', problems: await countProblems(db) };
  yield { name: 'unfinished work', problems: await unfinishedProblems(db) };
  yield { name: 'search index', problems: await indexProblems(db) };
}

const MOST = 20;

/** What belongs to a session by its key, and would be of nobody without it. */
const OF_SESSION = ['usage', 'titles', 'search', 'archives'] as const;

async function referenceProblems(sql: Sql): Promise<readonly Problem[]> {
  const found: Problem[] = [];
  for (const table of OF_SESSION) {
    const ofSpace = table === 'usage' ? 'true' : 't.space = :space';
    const rows = await sql.all<{ key: number }>(
      `SELECT session_key AS key FROM coppice.${table} t WHERE ${ofSpace}
       AND NOT EXISTS (SELECT 1 FROM coppice.sessions s WHERE s.key = t.session_key) ORDER BY session_key LIMIT ${MOST}`,
    );
    for (const { key } of rows) {
      found.push({
        kind: 'reference-broken',
        subject: 'the server',
        message: `A row of ${table} belongs to session ${key}, which does not exist.`,
        hint: 'Restore the database from a backup, or import what you exported.',
      });
    }
  }
  return found;
}

export interface WrongCount {
  readonly key: number;
  readonly id: string;
  readonly message_count: number;
  readonly counted: number;
  readonly output_count: number;
  readonly printed: number;
  readonly content_bytes: number;
  readonly bytes: number;
}

/** Live sessions whose row does not say what their messages do. */
export function wrongCounts(sql: Sql): Promise<readonly WrongCount[]> {
  return sql.all<WrongCount>(
    `SELECT s.key, s.id, s.message_count, c.counted, s.output_count, c.printed, s.content_bytes, c.bytes
     FROM coppice.sessions s CROSS JOIN LATERAL (${COUNTED}) c
     WHERE s.space = :space AND s.state = 'live' AND (s.message_count <> c.counted OR s.output_count <> c.printed
       OR s.content_bytes <> c.bytes OR s.last_seq < c.last) ORDER BY s.key`,
  );
}

/** What the messages of a session `s` say. Text that was escaped takes as many bytes as it had before. */
export const COUNTED = `SELECT count(*) AS counted, coalesce(sum(is_output), 0)::bigint AS printed, coalesce(max(seq), 0) AS last,
  coalesce(sum(octet_length(text) + coalesce(octet_length(extra), 0)), 0)::bigint AS bytes
  FROM coppice.messages m WHERE m.session_key = s.key`;

async function countProblems(sql: Sql): Promise<readonly Problem[]> {
  return (await wrongCounts(sql)).map((row) => ({
    kind: 'count-wrong',
    subject: row.id,
    message: `Session ${row.id} says ${countDifference(row)}.`,
    hint: 'Count them anew with: coppice doctor --repair',
  }));
}

function countDifference(row: WrongCount): string {
  if (row.message_count !== row.counted) return `it has ${row.message_count} messages; ${row.counted} are there`;
  if (row.output_count !== row.printed) return `${row.output_count} of its messages are output; ${row.printed} are`;
  return `its messages take ${row.content_bytes} bytes; they take ${row.bytes}`;
}

/** What an import left that was cut short, or that another process is at right now. */
async function unfinishedProblems(sql: Sql): Promise<readonly Problem[]> {
  const rows = await sql.all<{ id: string }>(
    `SELECT id FROM coppice.sessions WHERE space = :space AND state = 'importing' ORDER BY id LIMIT ${MOST}`,
  );
  return rows.map(({ id }) => ({
    kind: 'unfinished',
    subject: id,
    message: `The import of session ${id} is running, or was cut short.`,
    hint: 'If no import is running, import the same file again.',
  }));
}

export const SEARCH_INDEX = 'search';
const PAGE = 200;

/** Compares what search knows of each message with the message. */
async function indexProblems(sql: Sql): Promise<readonly Problem[]> {
  const lost = await sql.get<{ lost: number }>(
    `SELECT count(*) AS lost FROM coppice.messages m JOIN coppice.sessions s ON s.key = m.session_key
     WHERE s.space = :space AND m.seq <= s.indexed_seq AND NOT EXISTS (SELECT 1 FROM coppice.search r WHERE r.message_id = m.id)`,
  );
  if ((lost?.lost ?? 0) > 0) return [indexProblem(`${lost?.lost} messages are missing`)];
  for (let after = 0; ; ) {
    const rows = await sql.all<{ id: number; text: string | null; folded: string }>(
      `SELECT r.message_id AS id, substr(m.text, 1, 100000) AS text, r.folded FROM coppice.search r
       LEFT JOIN coppice.messages m ON m.id = r.message_id WHERE r.space = :space AND r.message_id > ?
       ORDER BY r.message_id LIMIT ${PAGE}`,
      after,
    );
    const wrong = rows.find(({ text, folded }) => text === null || searchedText(text).folded !== folded);
    if (wrong !== undefined) return [indexProblem(`message ${wrong.id} reads otherwise`)];
    const last = rows.at(-1);
    if (last === undefined) return [];
    after = last.id;
  }
}

function indexProblem(what: string): Problem {
  return {
    kind: 'index-wrong',
    subject: SEARCH_INDEX,
    message: `The search index does not agree with what is stored (${what}). Messages are not affected.`,
    hint: 'Build it anew with: coppice doctor --repair',
  };
}
