import { outcomeDocument } from '../app/documents/run-document.ts';
import type { Outcome } from '../core/run.ts';
import { jsonRoute, type Route } from './route.ts';
import { archiveListSchema, archiveQuery, archiveRestoreSchema, restoredSchema } from './schemas/run-schemas.ts';
import { listSessions } from './sessions.ts';

export const archiveRoutes: readonly Route[] = [
  jsonRoute({
    method: 'GET',
    path: '/api/archive',
    summary: 'List archived sessions, most recent first. Pages go on with `cursor`.',
    query: archiveQuery,
    answer: archiveListSchema,
    handle: ({ parts, query }) => listSessions(parts, { ...query, archived: true }),
  }),
  jsonRoute({
    method: 'POST',
    path: '/api/archive/restore',
    summary: 'Bring archived sessions back, with their messages and files.',
    cost: 1000,
    body: archiveRestoreSchema,
    answer: restoredSchema,
    handle: async ({ parts: { home, signal }, body }) => {
      const outcomes: Outcome[] = [];
      const options = { signal, onOutcome: (one: Outcome) => void outcomes.push(one) };
      const { done, skipped } = await (await home.retention()).restore(body.ids, options);
      return { done, skipped, items: outcomes.map(outcomeDocument) };
    },
  }),
];
