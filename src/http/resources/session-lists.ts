import type { z } from 'zod';
import { sessionDocument } from '../../app/documents/session-document.ts';
import type { SessionPageQuery } from '../../app/sessions/session-pages.ts';
import { type HttpParts, jsonRoute } from '../route.ts';
import {
  sessionFilterQuery,
  sessionListQuery,
  sessionListSchema,
  shortIdListSchema,
  shortIdsQuery,
} from '../schemas/session-schemas.ts';

export const sessionListRoutes = [
  jsonRoute({
    method: 'GET',
    path: '/api/sessions',
    scope: 'read',
    summary: 'List sessions, most recent first. Pages go on with `cursor`, in the order that the page before had.',
    query: sessionListQuery,
    answer: sessionListSchema,
    handle: ({ parts, query }) => listSessions(parts, withFilter(query)),
  }),
  jsonRoute({
    method: 'GET',
    path: '/api/short-ids',
    scope: 'read',
    summary:
      'For each session the shortest form that its id can be shown as: `GET /api/sessions/{id}` finds that session by it, and no other.',
    query: shortIdsQuery,
    answer: shortIdListSchema,
    handle: async ({ parts: { home }, query: { id } }) => {
      const short = await home.sessions.shortIds(id);
      return { shortIds: [...short].map(([whole, shortId]) => ({ id: whole, shortId })) };
    },
  }),
] as const;

/** One page, as a document. */
export async function listSessions({ home }: HttpParts, query: SessionPageQuery) {
  const { sessions, ...about } = await home.sessions.page(query);
  return { sessions: sessions.map(sessionDocument), ...about };
}

/** A query has its filter beside the rest. */
function withFilter(given: z.output<typeof sessionListQuery>): SessionPageQuery {
  const entries = Object.entries(given);
  const filter = entries.filter(([name]) => name in sessionFilterQuery);
  const query = Object.fromEntries(entries.filter(([name]) => !(name in sessionFilterQuery)));
  return filter.length === 0 ? query : { ...query, filter: Object.fromEntries(filter) };
}
