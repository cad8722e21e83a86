import { useEffect, useState } from 'preact/hooks';
import type { Answer, Query, Sent } from '../../client/api.ts';
import { type ApiFailure, asFailure } from '../api/api-failure.ts';
import { call } from '../api/call.ts';
import type { Place } from '../place.ts';
import { FILTER_FIELDS } from './session-filters.tsx';

export type Session = Answer<'GET /api/sessions'>['sessions'][number];
export type Hit = Answer<'GET /api/search'>['sessions'][number];
export type Row = Session & Partial<Pick<Hit, 'excerpt' | 'message'>>;

export interface SessionList {
  readonly rows: readonly Row[];
  /** How many there are in all; undefined until it is known, and for what a search found. */
  readonly total: number | undefined;
  readonly busy: boolean;
  readonly failure: ApiFailure | undefined;
  /** Loads the next page, where there is one. */
  readonly more: () => void;
}

const PAGE = 200;
const MOST_HITS = 200;

interface Loaded {
  readonly key: string;
  readonly rows: readonly Row[];
  readonly total: number | undefined;
  readonly next: string | undefined;
}

/** The sessions that an address asks for, as far as they were looked at. Pages come one after the other, however many there are. */
export function useSessionList(query: Place['query'], turn: number): SessionList {
  const key = JSON.stringify([query, turn]);
  const [loaded, setLoaded] = useState<Loaded>({ key: '', rows: [], total: undefined, next: undefined });
  const [busy, setBusy] = useState(true);
  const [failure, setFailure] = useState<ApiFailure | undefined>();
  const [wanted, setWanted] = useState<string | undefined>();
  useEffect(() => {
    const stop = new AbortController();
    const cursor = loaded.key === key ? wanted : undefined;
    const load = async () => {
      setBusy(true);
      try {
        const { rows, total, next } = await page(query, cursor, stop.signal);
        const before = cursor === undefined ? { rows: [], total: undefined } : loaded;
        setLoaded({ key, rows: [...before.rows, ...rows], total: total ?? before.total, next });
        setFailure(undefined);
        setBusy(false);
      } catch (error) {
        if (stop.signal.aborted) return;
        setFailure(asFailure(error));
        setBusy(false);
      }
    };
    void load();
    return () => stop.abort();
  }, [key, wanted]);
  const more = () => {
    if (!busy && loaded.next !== undefined) setWanted(loaded.next);
  };
  return { rows: loaded.rows, total: loaded.total, busy, failure, more };
}

async function page(
  query: Place['query'],
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<Omit<Loaded, 'key'>> {
  const { q, source } = query;
  if (q !== undefined) {
    const { sessions } = await call('GET /api/search', {
      query: { q, limit: MOST_HITS, ...(source !== undefined && { source }) },
      signal,
    });
    return { rows: sessions, total: undefined, next: undefined };
  }
  const asked = {
    ...queryOf(query),
    limit: PAGE,
    total: cursor === undefined,
    ...(cursor !== undefined && { cursor }),
  };
  const { sessions, total, next } = await call('GET /api/sessions', { query: asked, signal });
  return { rows: sessions, total, next };
}

type ListQuery = Sent<NonNullable<Query<'GET /api/sessions'>>>;

function queryOf(query: Place['query']): ListQuery {
  const { sort, pinned, archived } = query;
  return {
    ...filterOf(query),
    ...(sort !== undefined && { sort: sort as NonNullable<ListQuery['sort']> }),
    ...(pinned === 'true' && { pinned: true }),
    ...(archived === 'true' && { archived: true }),
  };
}

/** What the address narrows the list down to, as plans take it. */
export function filterOf(query: Place['query']) {
  const { tags, ...words } = Object.fromEntries(
    FILTER_FIELDS.flatMap(([name]) => (query[name] === undefined ? [] : [[name, query[name]]])),
  ) as Partial<Record<(typeof FILTER_FIELDS)[number][0], string>>;
  return { ...words, ...(tags !== undefined && { tags: [tags] }), ...(query['pinned'] === 'true' && { pinned: true }) };
}
