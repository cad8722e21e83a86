import { outcomeDocument } from '../../app/documents/run-document.ts';
import { gather } from '../gather.ts';
import { jsonRoute } from '../route.ts';
import {
  archiveListSchema,
  archiveQuery,
  archiveRestoreSchema,
  outcomeSchema,
  promptsSchema,
  restoredSchema,
} from '../schemas/run-schemas.ts';
import { listSessions } from './session-lists.ts';

export const archiveRoutes = [
  jsonRoute({
    method: 'GET',
    path: '/api/archive',
    scope: 'read',
    summary: 'List archived sessions, most recent first. Pages go on with `cursor`.',
    query: archiveQuery,
    answer: archiveListSchema,
    handle: ({ parts, query }) => listSessions(parts, { ...query, archived: true }),
  }),
  jsonRoute({
    method: 'POST',
    path: '/api/archive/restore',
    scope: 'manage',
    summary: 'Bring archived sessions back, with their messages and files.',
    cost: 1000,
    body: archiveRestoreSchema,
    answer: restoredSchema,
    tells: outcomeSchema,
    handle: async ({ parts: { home }, body, tell, signal }) => {
      const { outcomes, onOutcome } = gather(tell);
      const { done, skipped } = await (await home.retention()).restore(body.ids, { signal, onOutcome });
      return { done, skipped, items: outcomes.map(outcomeDocument) };
    },
  }),
  jsonRoute({
    method: 'GET',
    path: '/api/archive/{id}/prompts',
    scope: 'read',
    summary: 'What people asked in an archived session, as far as search knows it.',
    answer: promptsSchema,
    handle: async ({ parts: { home }, id }) => {
      const prompts = await home.sessions.archivedPrompts(id);
      return { id, ...(prompts !== undefined && { prompts }) };
    },
  }),
] as const;
