import type { Database } from 'better-sqlite3';
import { makeExcerpt } from '../../../core/sessions/excerpt.ts';
import { type TextMatch, textMatcher } from '../../../core/sessions/match-message.ts';
import { foldText, matchesTerms } from '../../../core/sessions/search-terms.ts';
import type { BookHit, BookQuery } from '../../../core/stores/search-book.ts';
import { blocksMatch, unpackBlock } from './block-text.ts';

/** So many of the newest blocks are looked into. Words that stand in more of them say little about any one. */
const READ_BLOCKS = 400;
/** Where enough was found, so many are looked into for what fits better. */
const BETTER_BLOCKS = 60;
/** Enough to find a good place in a long conversation; the rest of it keeps others waiting. */
const BLOCKS_OF_ONE = 2;
/** So many are asked for, because some may be of sessions that are gone. */
const MOST_CANDIDATES = 4000;

interface Candidate {
  readonly block: number;
  readonly part: number;
  readonly session: number;
  readonly first: number;
  readonly id: string;
}

interface Found extends TextMatch {
  readonly id: string;
  readonly part: number;
  /** Its number within its part, from 1. */
  readonly number: number;
  readonly role: string;
  readonly at: number;
  readonly text: string;
}

/** Titles first, then whole words by how well they fit, then parts of words by how new they are. */
export function findInBook(db: Database, place: number, query: BookQuery): readonly BookHit[] {
  const said = [...saidIn(db, place, query).values()].toSorted(
    (a, b) => Number(a.match === 'part') - Number(b.match === 'part') || b.score - a.score || b.at - a.at,
  );
  const hits = new Map<string, BookHit>();
  for (const { id, title } of titlesIn(db, place, query))
    hits.set(id, { id, match: 'title', excerpt: makeExcerpt(title, query.terms.wanted) });
  for (const found of said) {
    const { id, role, at, text } = found;
    const titled = hits.get(id);
    if (titled === undefined && hits.size >= query.limit) continue;
    hits.set(id, {
      id,
      match: titled?.match ?? found.match,
      message: { seq: before(db, found.part) + found.number, role, at },
      excerpt: makeExcerpt(text, query.terms.wanted),
    });
  }
  return [...hits.values()].slice(0, query.limit);
}

function titlesIn(db: Database, place: number, { terms, since = 0, limit, holds }: BookQuery) {
  const rows = db.prepare<[number, number], { id: string; title: string }>(
    `SELECT id, title FROM sessions WHERE place = ? AND title IS NOT NULL AND last_active_at >= ? ORDER BY last_active_at DESC`,
  );
  const found: { readonly id: string; readonly title: string }[] = [];
  for (const row of rows.iterate(place, since)) {
    if (!matchesTerms(foldText(row.title), terms) || !holds(row.id)) continue;
    found.push(row);
    if (found.length >= limit) break;
  }
  return found;
}

/** The best place of each session. */
function saidIn(db: Database, place: number, query: BookQuery): ReadonlyMap<string, Found> {
  const match = blocksMatch(query.terms, place, termsFrom(db));
  if (match === undefined) return new Map();
  const matches = textMatcher(query.terms);
  const body = db.prepare<[number], Buffer>('SELECT body FROM texts WHERE block = ?').pluck();
  const best = new Map<string, Found>();
  const looked = new Map<string, number>();
  let read = 0;
  let inWords = 0;
  for (const candidate of candidates(db, match, query)) {
    const { id } = candidate;
    const times = looked.get(id) ?? 0;
    if (times >= BLOCKS_OF_ONE && best.has(id)) continue;
    if (inWords >= query.limit || read >= (best.size >= query.limit ? BETTER_BLOCKS : READ_BLOCKS)) break;
    looked.set(id, times + 1);
    read += 1;
    const packed = body.get(candidate.block);
    const found = packed === undefined ? undefined : bestIn(packed, { candidate, query, matches });
    const known = best.get(id);
    if (found === undefined || (known !== undefined && !isBetter(found, known))) continue;
    if (found.match === 'words' && known?.match !== 'words') inWords += 1;
    best.set(id, found);
  }
  return best;
}

function candidates(db: Database, match: string, { since = 0, holds }: BookQuery): Candidate[] {
  const rows = db.prepare<[string, number, number], Candidate>(
    `SELECT blocks.key AS block, part, session, first, sessions.id AS id FROM block_parts
      JOIN blocks ON blocks.key = block_parts.rowid JOIN sessions ON sessions.key = session
      WHERE block_parts MATCH ? AND at >= ? ORDER BY at DESC LIMIT ?`,
  );
  return rows.all(match, since, MOST_CANDIDATES).filter(({ id }) => holds(id));
}

interface Looking {
  readonly candidate: Candidate;
  readonly query: BookQuery;
  readonly matches: (text: string) => TextMatch | undefined;
}

function bestIn(body: Buffer, { candidate, query, matches }: Looking): Found | undefined {
  const { id, part, first } = candidate;
  let best: Found | undefined;
  for (const [index, [role, at, text]] of unpackBlock(body).entries()) {
    if (at < (query.since ?? 0)) continue;
    const match = matches(text);
    if (match === undefined) continue;
    const found: Found = { ...match, id, part, number: first + index + 1, role, at, text };
    if (best === undefined || isBetter(found, best)) best = found;
  }
  return best;
}

function isBetter(a: Found, b: Found): boolean {
  if (a.match !== b.match) return a.match === 'words';
  return a.score === b.score ? a.at > b.at : a.score > b.score;
}

/** How many messages there are in the parts before one. */
function before(db: Database, part: number): number {
  const count = db.prepare<[number, number], number>(
    `SELECT coalesce(sum(messages), 0) FROM parts WHERE session = (SELECT session FROM parts WHERE key = ?)
      AND number < (SELECT number FROM parts WHERE key = ?)`,
  );
  return count.pluck().get(part, part) ?? 0;
}

function termsFrom(db: Database) {
  const terms = db.prepare<[string, string, number], string>(
    'SELECT term FROM block_terms WHERE term >= ? AND term < ? LIMIT ?',
  );
  return (start: string, limit: number): readonly string[] => terms.pluck().all(start, `${start}\u{10ffff}`, limit);
}
