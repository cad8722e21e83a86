import { resolvedDocument, routeDocument, spendDocument } from '../app/documents/gateway-document.ts';
import { sessionDocument } from '../app/documents/session-document.ts';
import type { Route as SessionRoute } from '../core/route-book.ts';
import { jsonRoute } from './route.ts';
import {
  resetDoneSchema,
  resetSchema,
  resolvedSchema,
  resolveSchema,
  routeListQuery,
  routeListSchema,
  spendListSchema,
  usageQuery,
} from './schemas/gateway-schemas.ts';

const PAGE = 200;

export const gatewayRoutes = [
  jsonRoute({
    method: 'GET',
    path: '/api/usage',
    summary: 'What live sessions have used, by day, source, model or session. Newest first.',
    query: usageQuery,
    answer: spendListSchema,
    handle: async ({ parts: { home }, query: { by = 'day' } }) => ({
      by,
      spending: (await home.gateway.spend(by)).map(spendDocument),
    }),
  }),
  jsonRoute({
    method: 'GET',
    path: '/api/routes',
    summary: 'List which session answers which key, by key. Pages go on with `after`.',
    query: routeListQuery,
    answer: routeListSchema,
    handle: async ({ parts: { home }, query: { limit = PAGE, after = '' } }) => {
      const routes: SessionRoute[] = [];
      for await (const route of home.gateway.routes()) {
        if (route.key !== after && routes.push(route) > limit) break;
        if (route.key === after) routes.length = 0;
      }
      const shown = routes.slice(0, limit);
      const last = shown.at(-1)?.key;
      return {
        routes: shown.map(routeDocument),
        ...(routes.length > limit && last !== undefined && { next: last }),
      };
    },
  }),
  jsonRoute({
    method: 'POST',
    path: '/api/routes/resolve',
    summary: 'The session that answers a key: the one of before, taken up again, or a new one where the rules say so.',
    body: resolveSchema,
    answer: resolvedSchema,
    handle: async ({ parts: { home, sessions }, body }) => {
      const resolved = await home.gateway.resolve(body);
      sessions.use(resolved.session, resolved.facts);
      return resolvedDocument(body.key, resolved);
    },
  }),
  jsonRoute({
    method: 'POST',
    path: '/api/routes/reset',
    summary: 'End the session that answers a key; the next message starts afresh.',
    body: resetSchema,
    answer: resetDoneSchema,
    handle: async ({ parts: { home }, body: { key, reason } }) => ({
      key,
      session: sessionDocument(await home.gateway.reset(key, reason)),
    }),
  }),
] as const;
