import { existsSync } from 'node:fs';
import { parseSearch } from '../../core/sessions/search-terms.ts';
import type { BookHit } from '../../core/stores/search-book.ts';
import type { SearchHit, SearchQuery } from '../../core/stores/session-reader.ts';
import type { HomeParts } from '../home-parts.ts';
import { indexPath, openIndex } from './open-index.ts';
import { type Refreshed, refreshIndex } from './refresh-index.ts';
import { NO_GAPS, type SearchGaps } from './search-gaps.ts';
import { type IndexHomeOptions, type IndexOptions, PATIENCE_MS, type SearchOptions } from './search-options.ts';

const DEFAULT_LIMIT = 20;
const MB = 1024 * 1024;

/** Searches a home of another agent by the index, which is brought up to date first as far as there is time. */
export async function searchHome(
  parts: HomeParts,
  query: SearchQuery,
  { until = performance.now() + PATIENCE_MS, onGaps, uncounted = false, ...options }: SearchOptions = {},
): Promise<readonly SearchHit[]> {
  const terms = parseSearch(query.text);
  const limit = query.limit ?? DEFAULT_LIMIT;
  const { refreshed, found } = await withIndex(parts, { until, ...options }, (place, { book, refreshed: now }) =>
    book.find(place, { terms, since: query.since, limit, holds: now.holds }),
  );
  onGaps?.(refreshed.gaps);
  const hits: SearchHit[] = [];
  for (const hit of found) {
    const shown = await hitOf(parts, hit, { refreshed: refreshed.state, uncounted });
    if (shown !== undefined && (query.source ?? shown.session.source) === shown.session.source) hits.push(shown);
  }
  // What is archived is found by what was asked in it also where the index has not got to it yet.
  const known = new Set(found.map(({ id }) => id));
  const asked = await parts.store.search({ ...query, limit });
  const others = asked.filter(({ session: { id } }) => !known.has(id) && !refreshed.state.holds(id));
  return [...hits, ...others].slice(0, limit);
}

/** Reads what is new into the index, and says what is not in it. */
export async function indexHome(
  parts: HomeParts,
  { ifThere = false, ...options }: IndexHomeOptions = {},
): Promise<SearchGaps> {
  if (parts.foreign?.searched === undefined) return NO_GAPS;
  if (ifThere && !existsSync(await indexPath(parts))) return NO_GAPS;
  const { refreshed } = await withIndex(parts, { ...options, until: Number.POSITIVE_INFINITY }, () => undefined);
  return refreshed.gaps;
}

interface IndexAt {
  readonly book: Awaited<ReturnType<typeof openIndex>>['book'];
  readonly refreshed: Refreshed;
}

async function withIndex<T>(
  parts: HomeParts,
  options: IndexOptions & { readonly until: number },
  work: (place: string, at: IndexAt) => T,
): Promise<{ readonly found: T; readonly refreshed: { readonly state: Refreshed; readonly gaps: SearchGaps } }> {
  const { foreign, config } = parts;
  const home = foreign?.searched;
  if (home === undefined) throw new Error('this home is searched by itself');
  const { search_max_mb: mostMb } = ((await parts.ownConfig?.()) ?? config).homes;
  const mostBytes = mostMb === 'never' ? Number.POSITIVE_INFINITY : mostMb * MB;
  using index = await openIndex(parts);
  const { book } = index;
  const place = foreign?.path ?? '';
  const state = await refreshIndex({ book, place, home }, { ...options, mostBytes });
  const { unread, unreadable, busy } = state;
  const stopped = state.stopped ?? (index.passing ? 'read-only' : undefined);
  const gaps = { unread, unreadable, busy, leftOut: book.leftOut(place), stopped };
  return { found: work(place, { book, refreshed: state }), refreshed: { state, gaps } };
}

async function hitOf(
  { store }: HomeParts,
  { id, match, excerpt, message }: BookHit,
  { refreshed, uncounted }: { readonly refreshed: Refreshed; readonly uncounted: boolean },
): Promise<SearchHit | undefined> {
  const session = uncounted ? await refreshed.sessions.get(id)?.facts() : await store.get(id);
  return session && { session, match, excerpt, ...(message && { message }) };
}
