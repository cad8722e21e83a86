import { makeExcerpt } from '../../../core/sessions/excerpt.ts';
import { foldText, matchesTerms, parseSearch, type SearchTerms } from '../../../core/sessions/search-terms.ts';
import type { SearchHit, SearchQuery } from '../../../core/stores/session-reader.ts';
import type { Connection } from '../database/connection.ts';
import { REWOUND } from './session-rewind.ts';
import { factsOf, type SessionRow } from '../../rows/session-rows.ts';
import { partsMatch, wordsMatch } from '../search/search-expressions.ts';

/** So many of the newest matches are ranked; a word that stands in more messages says little about any of them. */
const RANKED_MATCHES = 2000;
/** So many candidates are read when looking for parts of words. */
const READ_CANDIDATES = 500;
const DEFAULT_LIMIT = 20;

interface Found {
  readonly sessionKey: number;
  readonly match: SearchHit['match'];
  readonly messageId?: number;
}

/**
 * Finds sessions: those whose title matches first, then whole words by relevance, then parts of words by recency. The last
 * is what makes Chinese, Japanese and fragments of names work; it is asked only while there is room for more results. Of archived
 * sessions, titles and what people asked are searched.
 */
export function searchSessions(db: Connection, query: SearchQuery): readonly SearchHit[] {
  const terms = parseSearch(query.text);
  const limit = query.limit ?? DEFAULT_LIMIT;
  const found = new Map<number, Found>();
  const add = (hits: Iterable<Found>) => {
    for (const hit of hits) {
      const known = found.get(hit.sessionKey);
      if (known === undefined && found.size < limit) found.set(hit.sessionKey, hit);
      else if (known?.match === 'title' && known.messageId === undefined)
        found.set(hit.sessionKey, { ...hit, match: 'title' });
    }
  };
  add(titleHits(db, terms, query));
  add(wordHits(db, terms, query));
  add(archivedWordHits(db, terms, query));
  if (found.size < limit) add(partHits(db, terms, { ...query, limit }));
  if (found.size < limit) add(archivedPartHits(db, terms, query));
  return [...found.values()].map((hit) => present(db, hit, terms));
}

function titleHits(db: Connection, terms: SearchTerms, { source, since = 0 }: SearchQuery): Found[] {
  const match = partsMatch(terms, vocabularyOf(db, 'session_title_terms'));
  if (match === undefined) return [];
  const rows = db
    .sql<[string, string | null, number, number], { key: number; title: string }>(
      `SELECT sessions.key, sessions.title FROM session_titles JOIN sessions ON sessions.key = session_titles.rowid
       WHERE session_titles MATCH ? AND state IN ('live', 'archived') AND source = coalesce(?, source) AND last_active_at >= ?
       ORDER BY session_titles.rowid DESC LIMIT ?`,
    )
    .all(match, source ?? null, since, READ_CANDIDATES);
  return rows
    .filter(({ title }) => matchesTerms(foldText(title), terms))
    .map(({ key }) => ({ sessionKey: key, match: 'title' }));
}

function wordHits(db: Connection, terms: SearchTerms, { source, since = 0 }: SearchQuery): Found[] {
  const match = wordsMatch(terms);
  if (match === undefined) return [];
  const rows = db
    .sql<[string, string | null, number, number], { id: number; sessionKey: number; score: number }>(
      `SELECT message_words.rowid AS id, messages.session_key AS sessionKey, bm25(message_words) AS score
       FROM message_words JOIN messages ON messages.id = message_words.rowid JOIN sessions ON key = session_key
       WHERE message_words MATCH ? AND state = 'live' AND source = coalesce(?, source) AND messages.at >= ?
       ORDER BY message_words.rowid DESC LIMIT ?`,
    )
    .all(match, source ?? null, since, RANKED_MATCHES);
  return rows
    .toSorted((a, b) => a.score - b.score || b.id - a.id)
    .map(({ id, sessionKey }) => ({ sessionKey, match: 'words', messageId: id }));
}

function partHits(
  db: Connection,
  terms: SearchTerms,
  { source, since = 0, limit }: SearchQuery & { limit: number },
): Found[] {
  const match = partsMatch(terms, vocabularyOf(db, 'message_part_terms'));
  if (match === undefined) return [];
  const candidates = db
    .sql<[string, string | null, number, number], { id: number; sessionKey: number }>(
      `SELECT message_parts.rowid AS id, messages.session_key AS sessionKey
       FROM message_parts JOIN messages ON messages.id = message_parts.rowid JOIN sessions ON key = session_key
       WHERE message_parts MATCH ? AND state = 'live' AND source = coalesce(?, source) AND messages.at >= ?
       ORDER BY message_parts.rowid DESC LIMIT ?`,
    )
    .all(match, source ?? null, since, READ_CANDIDATES);
  const hits = new Map<number, Found>();
  for (const { id, sessionKey } of candidates) {
    if (hits.size >= limit) break;
    if (hits.has(sessionKey) || !matchesTerms(foldText(messageText(db, id)), terms)) continue;
    hits.set(sessionKey, { sessionKey, match: 'part', messageId: id });
  }
  return [...hits.values()];
}

function archivedWordHits(db: Connection, terms: SearchTerms, { source, since = 0 }: SearchQuery): Found[] {
  const match = wordsMatch(terms);
  if (match === undefined) return [];
  return db
    .sql<[string, string | null, number, number], number>(
      `SELECT key FROM archive_words JOIN sessions ON key = archive_words.rowid
       WHERE archive_words MATCH ? AND state = 'archived' AND source = coalesce(?, source) AND last_active_at >= ?
       ORDER BY bm25(archive_words), key DESC LIMIT ?`,
    )
    .pluck()
    .all(match, source ?? null, since, READ_CANDIDATES)
    .map((sessionKey) => ({ sessionKey, match: 'words' }));
}

function archivedPartHits(db: Connection, terms: SearchTerms, { source, since = 0 }: SearchQuery): Found[] {
  const match = partsMatch(terms, vocabularyOf(db, 'archive_part_terms'));
  if (match === undefined) return [];
  return db
    .sql<[string, string | null, number, number], number>(
      `SELECT key FROM archive_parts JOIN sessions ON key = archive_parts.rowid
       WHERE archive_parts MATCH ? AND state = 'archived' AND source = coalesce(?, source) AND last_active_at >= ? ORDER BY key DESC LIMIT ?`,
    )
    .pluck()
    .all(match, source ?? null, since, READ_CANDIDATES)
    .filter((key) => matchesTerms(foldText(promptsText(db, key)), terms))
    .map((sessionKey) => ({ sessionKey, match: 'part' }));
}

function present(db: Connection, found: Found, terms: SearchTerms): SearchHit {
  const session = factsOf(requireSession(db, found.sessionKey));
  if (found.messageId === undefined) {
    const text = found.match === 'title' ? (session.title ?? '') : promptsText(db, found.sessionKey);
    return { session, match: found.match, excerpt: makeExcerpt(text, terms.wanted) };
  }
  const message = hitMessage(db, found.messageId);
  return {
    session,
    match: found.match,
    ...(message !== undefined && { message }),
    excerpt: makeExcerpt(messageText(db, found.messageId), terms.wanted),
  };
}

function hitMessage(db: Connection, id: number): SearchHit['message'] {
  const row = db
    .sql<[number], { seq: number; role: string; at: number; rewound: number }>(
      `SELECT seq, role, at, ${REWOUND} AS rewound FROM messages WHERE id = ?`,
    )
    .get(id);
  if (row === undefined) return undefined;
  const { rewound, ...message } = row;
  return { ...message, ...(rewound === 1 && { rewound: true }) };
}

/** What of a message is searched; the same cut as the index (001-sessions.ts). */
function messageText(db: Connection, id: number): string {
  return db.sql<[number], string>('SELECT substr(text, 1, 100000) FROM messages WHERE id = ?').pluck().get(id) ?? '';
}

function promptsText(db: Connection, key: number): string {
  return db.sql<[number], string>('SELECT prompts FROM archives WHERE session_key = ?').pluck().get(key) ?? '';
}

function requireSession(db: Connection, key: number): SessionRow {
  const row = db.sql<[number], SessionRow>('SELECT * FROM sessions WHERE key = ?').get(key);
  if (row === undefined) throw new Error(`the search index names session ${key}, which does not exist`);
  return row;
}

/** Looks up which three-character pieces of the index start with these characters. */
function vocabularyOf(db: Connection, table: 'session_title_terms' | 'message_part_terms' | 'archive_part_terms') {
  return (prefix: string, limit: number): readonly string[] =>
    db
      .sql<[string, string, number], string>(`SELECT term FROM ${table} WHERE term >= ? AND term < ? LIMIT ?`)
      .pluck()
      .all(prefix, `${prefix}\u{10ffff}`, limit);
}
