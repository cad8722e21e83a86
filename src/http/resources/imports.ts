import { jsonRoute } from '../route.ts';
import {
  importedFactsSchema,
  importedMessagesSchema,
  importedSessionSchema,
  importSchema,
} from '../schemas/session-schemas.ts';

/** Who imports reads the files, wherever they are, and sends what is in them: no path comes in here. */
export const importRoutes = [
  jsonRoute({
    method: 'POST',
    path: '/api/imports',
    scope: 'manage',
    summary: 'Begin a session that is brought in from elsewhere. Nobody sees it until it is finished.',
    body: importedSessionSchema,
    answer: importSchema,
    status: 201,
    handle: async ({ parts: { home }, body }) => {
      await home.sessions.imports.begin(body);
      return { id: body.id };
    },
  }),
  jsonRoute({
    method: 'POST',
    path: '/api/imports/{id}/messages',
    scope: 'manage',
    summary: 'Add messages with their numbers and times to a session that is being brought in.',
    body: importedMessagesSchema,
    answer: importSchema,
    status: 201,
    repeat: 'noted',
    handle: async ({ parts: { home }, id, body, once }) => {
      await home.sessions.imports.append(id, body.messages, { once });
      return { id };
    },
  }),
  jsonRoute({
    method: 'POST',
    path: '/api/imports/{id}/finish',
    scope: 'manage',
    summary: 'Show a session that was brought in, with these facts.',
    body: importedFactsSchema,
    answer: importSchema,
    repeat: 'noted',
    handle: async ({ parts: { home }, id, body, once }) => {
      await home.sessions.imports.finish({ ...body, id }, { once });
      return { id };
    },
  }),
  jsonRoute({
    method: 'POST',
    path: '/api/imports/{id}/abandon',
    scope: 'manage',
    summary: 'Forget a session that was begun and not finished.',
    answer: importSchema,
    handle: async ({ parts: { home }, id }) => {
      await home.sessions.imports.abandon(id);
      return { id };
    },
  }),
] as const;
