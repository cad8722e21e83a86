import { Failure } from '../../core/failure.ts';
import type { SessionFacts } from '../../core/sessions/session.ts';
import type { HomeParts } from '../home-parts.ts';
import { listQuery, type SessionsQuery } from './list-query.ts';

export interface SessionPageQuery extends SessionsQuery {
  /** `next` of the page before. */
  readonly cursor?: string;
  /** Whether it is counted how many there are; it is unless this is false. */
  readonly total?: boolean;
}

/** A part of a list, and where the next one begins. */
export interface SessionPage {
  readonly sessions: readonly SessionFacts[];
  /** How many there are on all pages together. */
  readonly total?: number;
  /** Absent on the last page. */
  readonly next?: string;
}

const PAGE = 100;

/**
 * One page. By last use a page goes on from an instant: sessions that are used meanwhile move to the front and may come twice; none is
 * left out for it. In another order it goes on after so many, and what changes its place meanwhile may be missed.
 */
export async function sessionPage(
  parts: HomeParts,
  { cursor, limit = PAGE, total = true, ...asked }: SessionPageQuery,
): Promise<SessionPage> {
  const query = await listQuery(parts, asked);
  const byUse = (query.sort ?? 'last') === 'last';
  const from = cursor === undefined ? undefined : readCursor(cursor, byUse);
  const before = Math.min(query.before ?? Number.POSITIVE_INFINITY, (from?.at ?? Number.POSITIVE_INFINITY) + 1);
  const place = byUse
    ? { ...(Number.isFinite(before) && { before }), limit: (from?.skip ?? 0) + limit + 1 }
    : { skip: from?.skip ?? 0, limit: limit + 1 };
  const found: SessionFacts[] = [];
  let skipping = byUse ? (from?.skip ?? 0) : 0;
  for await (const session of parts.store.list({ ...query, ...place })) {
    if (skipping > 0 && session.lastActiveAt === from?.at) skipping -= 1;
    else if (found.push(session) > limit) break;
  }
  const sessions = found.slice(0, limit);
  return {
    sessions,
    ...(total && { total: await parts.store.counts.sessions(query) }),
    ...(found.length > limit && { next: byUse ? cursorAfter(sessions, from) : `+${(from?.skip ?? 0) + limit}` }),
  };
}

/** Where a page begins: at this instant, after so many sessions of it that were shown; or after so many altogether. */
interface Cursor {
  readonly at?: number;
  readonly skip: number;
}

function cursorAfter(shown: readonly SessionFacts[], from: Cursor | undefined): string {
  const at = shown.at(-1)?.lastActiveAt ?? 0;
  const same = shown.filter(({ lastActiveAt }) => lastActiveAt === at).length;
  return `${at}.${same + (from?.at === at ? from.skip : 0)}`;
}

function readCursor(text: string, byUse: boolean): Cursor {
  const [, at, skip] = (byUse ? /^(\d{1,16})\.(\d{1,9})$/ : /^(\+)(\d{1,9})$/).exec(text) ?? [];
  if (skip !== undefined) return { skip: Number(skip), ...(byUse && { at: Number(at) }) };
  throw new Failure('usage', `The cursor ${text} is none of this list.`, {
    hint: 'Give `next` of the page before as it is, with the same order and the same filters.',
  });
}
