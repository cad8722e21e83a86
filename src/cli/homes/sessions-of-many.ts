import type { App, AppSessions } from '../../app/app.ts';
import { mergeSessions } from '../../app/machine/merge-sessions.ts';
import { PATIENCE_MS, type SearchOptions } from '../../app/search/search-options.ts';
import type { SessionsQuery } from '../../app/sessions/list-query.ts';
import type { SessionPage, SessionPageQuery } from '../../app/sessions/session-pages.ts';
import { Failure } from '../../core/failure.ts';
import type { SessionFacts } from '../../core/sessions/session.ts';
import type { SearchHit, SearchQuery } from '../../core/stores/session-reader.ts';
import type { Io } from '../io.ts';
import { safeText } from '../print/safe-text.ts';
import type { OpenKnownHome } from './open-homes.ts';

/** Sessions to list, wherever they are. */
export interface Listing {
  readonly sessions: Pick<AppSessions, 'list' | 'page' | 'shortIds' | 'search'>;
  /** Where one of them is. */
  readonly homeOf: (facts: SessionFacts & { readonly home?: string }) => Pick<App, 'sessions'>;
}

/** The sessions of several homes as if they were in one. Each says what its home is called. */
export function sessionsOfMany(homes: readonly OpenKnownHome[], io: Pick<Io, 'err'>): Listing {
  /** In which homes an id was found: the same one may be in several. */
  const seen = new Map<string, Set<OpenKnownHome>>();
  const note = (id: string, name: string) => {
    const at = homes.find(({ known }) => known.name === name);
    if (at !== undefined) seen.set(id, (seen.get(id) ?? new Set()).add(at));
  };
  async function* list(query: SessionsQuery = {}): AsyncGenerator<SessionFacts> {
    const sources = homes.map(({ known: { name }, home }) => ({
      name,
      sessions: asFarAsKnown(home.sessions.list(query), name, io),
    }));
    let left = query.limit ?? Number.POSITIVE_INFINITY;
    if (left <= 0) return;
    for await (const session of mergeSessions(sources, query.sort === 'stored' ? 'last' : query.sort)) {
      note(session.id, session.home);
      yield session;
      left -= 1;
      if (left <= 0) return;
    }
  }
  return {
    homeOf: ({ home: name }) => homes.find(({ known }) => known.name === name)?.home ?? first(homes).home,
    sessions: {
      list,
      page: (query) => pageOf(homes, list, query ?? {}),
      async search(query, options) {
        const hits = await searchAll(homes, query, options);
        for (const { session } of hits) note(session.id, session.home);
        return hits;
      },
      async shortIds(ids) {
        const short = new Map<string, string>();
        for (const id of ids) short.set(id, await shortAmong(homes, [...(seen.get(id) ?? [])], id));
        return short;
      },
    },
  };
}

/** None of a home that does not record what is asked for, which is said. */
async function* asFarAsKnown(
  sessions: AsyncIterable<SessionFacts>,
  name: string,
  { err }: Pick<Io, 'err'>,
): AsyncGenerator<SessionFacts> {
  try {
    yield* sessions;
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'usage') throw error;
    err.write(`Not looked at in ${safeText(name)}: ${safeText(error.message)}\n`);
  }
}

function first(homes: readonly OpenKnownHome[]): OpenKnownHome {
  const [home] = homes;
  if (home !== undefined) return home;
  throw new Failure('failed', 'None of the homes could be read.', { hint: 'See them with: coppice homes list' });
}

/** As short as it may be in its own home, unless it would mean something in another home too. */
async function shortAmong(homes: readonly OpenKnownHome[], own: readonly OpenKnownHome[], id: string): Promise<string> {
  const [at] = own;
  if (at === undefined || own.length > 1) return id;
  const short = (await at.home.sessions.shortIds([id])).get(id) ?? id;
  if (short === id) return id;
  for (const other of homes) if (other !== at && (await means(other, short))) return id;
  return short;
}

async function means({ home }: OpenKnownHome, typed: string): Promise<boolean> {
  try {
    await home.sessions.find(typed);
    return true;
  } catch (error) {
    if (error instanceof Failure) return error.code !== 'not-found';
    throw error;
  }
}

const PAGE = 100;

/** A page of all of them goes on after so many: no instant of one home says where another one is. */
async function pageOf(
  homes: readonly OpenKnownHome[],
  list: (query: SessionsQuery) => AsyncIterable<SessionFacts>,
  { cursor, limit = PAGE, total = true, ...query }: SessionPageQuery,
): Promise<SessionPage> {
  const from = cursor === undefined ? 0 : readCursor(cursor);
  const sessions: SessionFacts[] = [];
  let at = 0;
  let more = false;
  for await (const session of list({ ...query, limit: from + limit + 1 })) {
    at += 1;
    if (at <= from) continue;
    if ((more = sessions.length === limit)) break;
    sessions.push(session);
  }
  let all = 0;
  if (total) for (const { home } of homes) all += await countIn(home, query);
  return { sessions, ...(total && { total: all }), ...(more && { next: `+${from + limit}` }) };
}

/** None where what is asked for is not recorded: the list has said so. */
async function countIn({ sessions }: OpenKnownHome['home'], query: SessionsQuery): Promise<number> {
  try {
    return (await sessions.page({ ...query, limit: 1 })).total ?? 0;
  } catch (error) {
    if (error instanceof Failure && error.code === 'usage') return 0;
    throw error;
  }
}

function readCursor(text: string): number {
  const [, count] = /^\+(\d{1,9})$/.exec(text) ?? [];
  if (count !== undefined) return Number(count);
  throw new Failure('usage', `The cursor ${text} is none of this list.`, {
    hint: 'Give `next` of the page before as it is, with the same order and the same filters.',
  });
}

type HitAt = SearchHit & { readonly session: SessionFacts & { readonly home: string } };

const CLOSENESS: readonly SearchHit['match'][] = ['words', 'title', 'part'];

/** What fits best in each home goes before what fits less well in any, and of these the newest first. */
async function searchAll(
  homes: readonly OpenKnownHome[],
  query: SearchQuery,
  options: SearchOptions = {},
): Promise<readonly HitAt[]> {
  const all: { readonly hit: HitAt; readonly closeness: number }[] = [];
  // All of them together wait no longer than one alone.
  const until = performance.now() + PATIENCE_MS;
  for (const { known, home } of homes) {
    for (const hit of await home.sessions.search(query, { until, ...options })) {
      const closeness = CLOSENESS.indexOf(hit.match);
      all.push({ hit: { ...hit, session: { ...hit.session, home: known.name } }, closeness });
    }
  }
  const sorted = all.toSorted((a, b) => a.closeness - b.closeness || saidAt(b.hit) - saidAt(a.hit));
  return sorted.slice(0, query.limit).map(({ hit }) => hit);
}

function saidAt({ message, session }: SearchHit): number {
  return message?.at ?? session.lastActiveAt;
}
