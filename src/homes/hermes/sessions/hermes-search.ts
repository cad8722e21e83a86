import { setImmediate } from 'node:timers/promises';
import { makeExcerpt } from '../../../core/sessions/excerpt.ts';
import { contentText, type Message, toolCallsText } from '../../../core/sessions/message.ts';
import { foldText, matchesTerms, parseSearch, type SearchTerms } from '../../../core/sessions/search-terms.ts';
import type { SearchHit, SearchQuery } from '../../../core/stores/session-reader.ts';
import type { EpochMs } from '../../../core/time.ts';
import { errorCode } from '../../../platform/error-code.ts';
import type { HermesDatabase } from '../database/hermes-connection.ts';
import { hermesMessage, type RawMessage, STRUCTURED } from './hermes-message.ts';
import { readSession } from './hermes-rows.ts';

/** A hit without the facts of its session. */
export type HermesHit = Omit<SearchHit, 'session'> & { readonly id: string };

const DEFAULT_LIMIT = 20;
/** So many of the newest matches are ranked or read: enough to be right, few enough to be quick. */
const CANDIDATES = 1000;
const PAGE = 500;
/** Hermes counts seconds. A message without a time was said at no time that could be asked for. */
const SAID_SINCE = 'ifnull(m.timestamp, 0) * 1000 >= ?';

/**
 * Searches titles, then whole words and parts of words by Hermes' own indexes. Where those cannot be used, or do not know what
 * is looked for, the messages themselves are read, the newest first.
 */
export async function searchHermes(hermes: HermesDatabase, query: SearchQuery): Promise<readonly HermesHit[]> {
  const { limit = DEFAULT_LIMIT, text, source, since = 0 } = query;
  const terms = parseSearch(text);
  const search: Search = { hermes, terms, source, since, limit, found: new Map() };
  searchTitles(search);
  const words = searchIndex(search, { index: 'messages_fts', match: matchWords(terms), kind: 'words' });
  const long = terms.wanted.every((term) => [...term].length >= 3);
  const match = long ? terms.wanted.map(quote).join(' AND ') : undefined;
  const parts = searchIndex(search, { index: 'messages_fts_trigram', match, kind: 'part' });
  if (!parts && (!words || hasShortWord(terms))) await readEverything(search);
  return [...search.found.values()].slice(0, limit);
}

interface Search {
  readonly hermes: HermesDatabase;
  readonly terms: SearchTerms;
  readonly source: string | undefined;
  readonly since: EpochMs;
  readonly limit: number;
  /** By session, best first. */
  readonly found: Map<string, HermesHit>;
}

function searchTitles({ hermes, terms, source, since, found }: Search): void {
  if (hermes.tables.get('sessions')?.has('title') !== true) return;
  const rows = hermes.db
    .prepare<[string | null], { id: unknown; title: unknown }>(
      'SELECT id, title FROM sessions WHERE title IS NOT NULL AND source = coalesce(?, source) ORDER BY started_at DESC',
    )
    .iterate(source ?? null);
  for (const { id, title } of rows) {
    if (typeof id !== 'string' || typeof title !== 'string' || !matchesTerms(foldText(title), terms)) continue;
    if (since > 0 && (readSession(hermes, id)?.lastActiveAt ?? 0) < since) continue;
    found.set(id, { id, match: 'title', excerpt: makeExcerpt(title, terms.wanted) });
  }
}

interface IndexSearch {
  readonly index: string;
  /** Absent when the index cannot answer. */
  readonly match: string | undefined;
  readonly kind: 'words' | 'part';
}

/** Returns false when the index could not be asked: it is not there, or it needs what this SQLite does not have. */
function searchIndex(search: Search, { index, match, kind }: IndexSearch): boolean {
  const { hermes, source, since, limit, found } = search;
  if (match === undefined) return false;
  if (found.size >= limit) return true;
  const sql = `SELECT m.*, bm25(${index}) AS score FROM ${index} JOIN messages AS m ON m.id = ${index}.rowid
    JOIN sessions AS s ON s.id = m.session_id WHERE ${index} MATCH ? AND s.source = coalesce(?, s.source) AND ${SAID_SINCE}
    ORDER BY ${index}.rowid DESC LIMIT ${CANDIDATES}`;
  let rows: (RawMessage & { readonly score: number })[];
  try {
    rows = hermes.db
      .prepare<[string, string | null, number], RawMessage & { score: number }>(sql)
      .all(match, source ?? null, since);
  } catch (error) {
    if (!/^SQLITE_(ERROR|CORRUPT)/.test(errorCode(error) ?? '')) throw error;
    return false;
  }
  const ranked = kind === 'words' ? rows.toSorted((a, b) => a.score - b.score) : rows;
  for (const { score: _, ...row } of ranked) {
    // An index knows structured content as it is stored, with the names of its fields among the words.
    const exact = kind === 'part' || String(row['content']).startsWith(STRUCTURED);
    addMessage(search, row, { match: kind, exact });
  }
  return true;
}

async function readEverything(search: Search): Promise<void> {
  const { hermes, source, since, limit, found } = search;
  const page = hermes.db.prepare<[number, string | null, number], RawMessage>(
    `SELECT m.* FROM messages AS m JOIN sessions AS s ON s.id = m.session_id
     WHERE m.id < ? AND s.source = coalesce(?, s.source) AND ${SAID_SINCE} ORDER BY m.id DESC LIMIT ${PAGE}`,
  );
  for (let before = Number.MAX_SAFE_INTEGER; found.size < limit; ) {
    const rows = page.all(before, source ?? null, since);
    for (const row of rows) addMessage(search, row, { match: 'part', exact: true });
    if (rows.length < PAGE) return;
    before = Number(rows.at(-1)?.['id']);
    await setImmediate();
  }
}

function addMessage(
  { hermes, terms, found }: Search,
  row: RawMessage,
  { match, exact }: { readonly match: 'words' | 'part'; readonly exact: boolean },
): void {
  const id = row['session_id'];
  const known = typeof id === 'string' ? found.get(id) : undefined;
  if (typeof id !== 'string' || (known !== undefined && known.message !== undefined)) return;
  const message = hermesMessage(row, 0, 0);
  const text = searchedText(message);
  if (exact && !matchesTerms(foldText(text), terms)) return;
  const { role, at, rewound } = message;
  found.set(id, {
    id,
    // A title that matched stays the reason, and the message shows where.
    match: known?.match ?? match,
    message: { seq: seqOf(hermes, id, Number(row['id'])), role, at, ...(rewound && { rewound }) },
    excerpt: known?.excerpt ?? makeExcerpt(text, terms.wanted),
  });
}

function searchedText({ content, toolCalls, name = '' }: Message): string {
  return [contentText(content), toolCallsText(toolCalls), name].filter((text) => text !== '').join('\n');
}

/** Messages are numbered within their session by the order in which they were stored. */
function seqOf({ db }: HermesDatabase, session: string, id: number): number {
  const sql = 'SELECT count(*) FROM messages WHERE session_id = ? AND id <= ?';
  return db.prepare<[string, number], number>(sql).pluck().get(session, id) ?? 0;
}

/** Undefined when a term has no letter or digit that a word index knows. */
function matchWords({ wanted, unwanted }: SearchTerms): string | undefined {
  if (!wanted.every(hasWord)) return undefined;
  const all = wanted.map(quote).join(' AND ');
  const none = unwanted.filter(hasWord).map(quote);
  return none.length === 0 ? all : `(${all}) NOT (${none.join(' OR ')})`;
}

/** Two Latin letters are found as words or not at all; two Chinese characters are a word inside of others. */
function hasShortWord({ wanted }: SearchTerms): boolean {
  return wanted.some((term) => [...term].length < 3 && !/^[\p{Script=Latin}\p{Script=Common}]*$/u.test(term));
}

function hasWord(term: string): boolean {
  return /[\p{L}\p{N}]/u.test(term);
}

/** A string in FTS5's syntax: nothing in it has a meaning. */
function quote(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
