import { makeExcerpt } from '../../../core/sessions/excerpt.ts';
import { parseSearch, type SearchTerms } from '../../../core/sessions/search-terms.ts';
import type { SearchHit, SearchQuery } from '../../../core/stores/session-reader.ts';
import { factsOf, type SessionRow } from '../../rows/session-rows.ts';
import type { Sql } from '../database/sql.ts';
import { REWOUND } from '../sessions/session-rewind.ts';
import { wholeInstant } from '../sessions/session-list.ts';
import { beginningOf } from './searched-text.ts';
import { frequencies, hasPhrase, partCondition, type Phrase, wordQuery } from './search-conditions.ts';
import { type Corpus, relevanceOf, weightOf } from './relevance.ts';

/** So many of the newest matches are ranked; a word that stands in more messages says little about any of them. */
const RANKED_MATCHES = 2000;
/** So many candidates are read when looking for titles and for what is archived. */
const READ_CANDIDATES = 500;
const DEFAULT_LIMIT = 20;

interface Found {
  readonly sessionKey: number;
  readonly match: SearchHit['match'];
  readonly messageId?: number;
}

/** What is asked, with what stands for nothing being asked. */
interface Asked {
  readonly source: string | undefined;
  readonly since: number;
  readonly limit: number;
}

/**
 * Finds sessions: those whose title matches first, then whole words by relevance, then parts of words by recency, as the embedded store
 * does, and with the same order. Of archived sessions, titles and what people asked are searched.
 */
export async function searchSessions(sql: Sql, query: SearchQuery): Promise<readonly SearchHit[]> {
  const terms = parseSearch(query.text);
  const limit = query.limit ?? DEFAULT_LIMIT;
  const asked = { source: query.source, since: wholeInstant(query.since ?? 0), limit };
  const found = new Map<number, Found>();
  const add = (hits: Iterable<Found>) => {
    for (const hit of hits) {
      const known = found.get(hit.sessionKey);
      if (known === undefined && found.size < limit) found.set(hit.sessionKey, hit);
      else if (known?.match === 'title' && known.messageId === undefined)
        found.set(hit.sessionKey, { ...hit, match: 'title' });
    }
  };
  add(await titleHits(sql, terms, asked));
  add(await wordHits(sql, terms, asked));
  add(await archivedWordHits(sql, terms, asked));
  if (found.size < limit) add(await partHits(sql, terms, asked));
  if (found.size < limit) add(await archivedPartHits(sql, terms, asked));
  const hits = await Promise.all([...found.values()].map((hit) => present(sql, hit, terms)));
  return hits.flatMap((hit) => hit ?? []);
}

async function titleHits(sql: Sql, terms: SearchTerms, { source, since }: Asked): Promise<readonly Found[]> {
  const condition = partCondition(terms, false);
  if (condition === undefined) return [];
  const rows = await sql.all<{ key: number }>(
    `SELECT s.key FROM coppice.titles t JOIN coppice.sessions s ON s.key = t.session_key
     WHERE t.space = :space AND ${condition.sql} AND state IN ('live', 'archived') AND source = coalesce(?, source)
       AND last_active_at >= ? ORDER BY s.key DESC LIMIT ${READ_CANDIDATES}`,
    ...condition.values,
    source,
    since,
  );
  return rows.map(({ key }) => ({ sessionKey: key, match: 'title' }));
}

interface WordRow {
  readonly id: number;
  readonly session_key: number;
  readonly words: number;
  readonly [frequency: `f${number}`]: number;
}

async function wordHits(sql: Sql, terms: SearchTerms, { source, since }: Asked): Promise<readonly Found[]> {
  const query = wordQuery(terms);
  if (query === undefined) return [];
  const counts = frequencies(query.wanted);
  const rows = await sql.all<WordRow>(
    `SELECT message_id AS id, session_key, cardinality(words) AS words, ${counts.sql} FROM (
       SELECT r.message_id, r.session_key, r.words FROM coppice.search r JOIN coppice.messages m ON m.id = r.message_id
         JOIN coppice.sessions s ON s.key = r.session_key
       WHERE r.space = :space AND ${query.condition.sql} AND s.state = 'live' AND s.source = coalesce(?, s.source) AND m.at >= ?
       ORDER BY r.message_id DESC LIMIT ${RANKED_MATCHES}) newest`,
    ...counts.values,
    ...query.condition.values,
    source,
    since,
  );
  const corpus = await corpusOf(sql);
  const weights = await weightsOf(sql, query.wanted, corpus);
  return rows
    .map((row) => {
      const occurrence = { frequencies: query.wanted.map((_, index) => row[`f${index}`] ?? 0), words: row.words };
      return { row, score: relevanceOf(occurrence, weights, corpus) };
    })
    .toSorted((a, b) => b.score - a.score || b.row.id - a.row.id)
    .map(({ row }) => ({ sessionKey: row.session_key, match: 'words', messageId: row.id }));
}

async function corpusOf(sql: Sql): Promise<Corpus> {
  const row = await sql.get<Corpus>('SELECT messages, words FROM coppice.search_totals WHERE space = :space');
  return row ?? { messages: 0, words: 0 };
}

/** Of a single phrase nobody needs to know how often it stands elsewhere: it weighs the same everywhere. */
async function weightsOf(sql: Sql, phrases: readonly Phrase[], corpus: Corpus): Promise<readonly number[]> {
  if (phrases.length === 1) return [1];
  return Promise.all(
    phrases.map(async (phrase) => {
      const { sql: condition, values } = hasPhrase(phrase);
      const row = await sql.get<{ found: number }>(
        `SELECT count(*) AS found FROM coppice.search WHERE space = :space AND ${condition}`,
        ...values,
      );
      return weightOf(row?.found ?? 0, corpus);
    }),
  );
}

async function partHits(sql: Sql, terms: SearchTerms, { source, since, limit }: Asked): Promise<readonly Found[]> {
  const condition = partCondition(terms, true);
  if (condition === undefined) return [];
  const rows = await sql.all<{ id: number; session_key: number }>(
    `SELECT r.message_id AS id, r.session_key FROM coppice.search r JOIN coppice.messages m ON m.id = r.message_id
       JOIN coppice.sessions s ON s.key = r.session_key
     WHERE r.space = :space AND ${condition.sql} AND s.state = 'live' AND s.source = coalesce(?, s.source) AND m.at >= ?
     ORDER BY r.message_id DESC LIMIT ${READ_CANDIDATES}`,
    ...condition.values,
    source,
    since,
  );
  const newest = new Map<number, Found>();
  for (const { id, session_key: sessionKey } of rows) {
    if (newest.size >= limit) break;
    if (!newest.has(sessionKey)) newest.set(sessionKey, { sessionKey, match: 'part', messageId: id });
  }
  return [...newest.values()];
}

const ARCHIVED = `FROM coppice.archives a JOIN coppice.sessions s ON s.key = a.session_key`;
const ARCHIVED_ALIKE = `s.state = 'archived' AND s.source = coalesce(?, s.source) AND s.last_active_at >= ?`;

async function archivedWordHits(sql: Sql, terms: SearchTerms, { source, since }: Asked): Promise<readonly Found[]> {
  const query = wordQuery(terms);
  if (query === undefined) return [];
  const counts = frequencies(query.wanted);
  const rows = await sql.all<WordRow>(
    `SELECT a.session_key AS id, a.session_key, cardinality(words) AS words, ${counts.sql} ${ARCHIVED}
     WHERE a.space = :space AND ${query.condition.sql} AND ${ARCHIVED_ALIKE}`,
    ...counts.values,
    ...query.condition.values,
    source,
    since,
  );
  if (rows.length === 0) return [];
  const corpus = await archivedCorpus(sql);
  const weights = await Promise.all(query.wanted.map((phrase) => archivedWeight(sql, phrase, corpus)));
  return rows
    .map((row) => {
      const occurrence = { frequencies: query.wanted.map((_, index) => row[`f${index}`] ?? 0), words: row.words };
      return { row, score: relevanceOf(occurrence, weights, corpus) };
    })
    .toSorted((a, b) => b.score - a.score || b.row.id - a.row.id)
    .slice(0, READ_CANDIDATES)
    .map(({ row }) => ({ sessionKey: row.session_key, match: 'words' }));
}

async function archivedCorpus(sql: Sql): Promise<Corpus> {
  const row = await sql.get<Corpus>(
    `SELECT count(*) AS messages, coalesce(sum(cardinality(words)), 0)::bigint AS words FROM coppice.archives WHERE space = :space`,
  );
  return row ?? { messages: 0, words: 0 };
}

async function archivedWeight(sql: Sql, phrase: Phrase, corpus: Corpus): Promise<number> {
  const { sql: condition, values } = hasPhrase(phrase);
  const row = await sql.get<{ found: number }>(
    `SELECT count(*) AS found FROM coppice.archives WHERE space = :space AND ${condition}`,
    ...values,
  );
  return weightOf(row?.found ?? 0, corpus);
}

async function archivedPartHits(sql: Sql, terms: SearchTerms, { source, since }: Asked): Promise<readonly Found[]> {
  const condition = partCondition(terms, false);
  if (condition === undefined) return [];
  const rows = await sql.all<{ key: number }>(
    `SELECT s.key ${ARCHIVED} WHERE a.space = :space AND ${condition.sql} AND ${ARCHIVED_ALIKE}
     ORDER BY s.key DESC LIMIT ${READ_CANDIDATES}`,
    ...condition.values,
    source,
    since,
  );
  return rows.map(({ key }) => ({ sessionKey: key, match: 'part' }));
}

/** Undefined for what was removed since it was found. */
async function present(sql: Sql, found: Found, terms: SearchTerms): Promise<SearchHit | undefined> {
  const row = await sql.get<SessionRow>('SELECT * FROM coppice.sessions WHERE key = ?', found.sessionKey);
  if (row === undefined) return undefined;
  const session = factsOf(row);
  if (found.messageId === undefined) {
    const text = found.match === 'title' ? (session.title ?? '') : await promptsText(sql, found.sessionKey);
    return { session, match: found.match, excerpt: makeExcerpt(text, terms.wanted) };
  }
  const message = await hitMessage(sql, found.messageId);
  if (message === undefined) return undefined;
  const { text, rewound, ...facts } = message;
  return {
    session,
    match: found.match,
    message: { ...facts, ...(rewound && { rewound: true as const }) },
    excerpt: makeExcerpt(beginningOf(text), terms.wanted),
  };
}

interface HitMessage {
  readonly seq: number;
  readonly role: string;
  readonly at: number;
  readonly text: string;
  readonly rewound: boolean;
}

function hitMessage(sql: Sql, id: number): Promise<HitMessage | undefined> {
  return sql.get<HitMessage>(
    `SELECT seq, role, at, substr(text, 1, 100000) AS text, ${REWOUND} AS rewound FROM coppice.messages WHERE id = ?`,
    id,
  );
}

async function promptsText(sql: Sql, key: number): Promise<string> {
  const row = await sql.get<{ prompts: string }>('SELECT prompts FROM coppice.archives WHERE session_key = ?', key);
  return row?.prompts ?? '';
}
