import {
  budgetDocument,
  correctionDocument,
  resolvedDocument,
  routeDocument,
  spendDocument,
} from '../../app/documents/gateway-document.ts';
import { sessionDocument } from '../../app/documents/session-document.ts';
import type { Route as SessionRoute } from '../../core/gateway/route-book.ts';
import { pageOf, totalOf } from '../pages.ts';
import { jsonRoute } from '../route.ts';
import {
  budgetListSchema,
  budgetQuery,
  correctionListSchema,
  correctSchema,
  resetDoneSchema,
  resetSchema,
  resolvedSchema,
  resolveSchema,
  routeListQuery,
  routeListSchema,
  spendListSchema,
  usageQuery,
} from '../schemas/gateway-schemas.ts';

const PAGE = 200;

export const gatewayRoutes = [
  jsonRoute({
    method: 'GET',
    path: '/api/usage',
    scope: 'read',
    summary: 'What live sessions have used, by day, source, model or session. Newest first.',
    query: usageQuery,
    answer: spendListSchema,
    handle: async ({ parts: { home }, query: { by = 'day', ...query } }) => {
      const { shown, about } = pageOf(await home.gateway.spend(by), query);
      return { by, spending: shown.map(spendDocument), ...about };
    },
  }),
  jsonRoute({
    method: 'GET',
    path: '/api/budget',
    scope: 'read',
    summary:
      'How every limit on spending stands that several sessions share: used, set aside by calls under way, left. With a session, every one that binds it.',
    query: budgetQuery,
    answer: budgetListSchema,
    handle: async ({ parts: { home }, query: { session, ...query } }) => {
      const facts = session === undefined ? undefined : await home.sessions.get(session);
      const { shown, about } = pageOf(await home.gateway.budgets(facts), query);
      return { budgets: shown.map(budgetDocument), ...about };
    },
  }),
  jsonRoute({
    method: 'POST',
    path: '/api/budget/corrections',
    scope: 'manage',
    summary:
      'Take a false report of usage back from the totals that it was counted in. Answers all corrections, newest first.',
    body: correctSchema,
    answer: correctionListSchema,
    repeat: 'noted',
    handle: async ({ parts: { home }, body: { tokens = 0, costUsd = 0, ...body }, once }) => {
      const correction = { ...body, tokens, nanoUsd: Math.round(costUsd * 1e9) };
      return { corrections: (await home.gateway.correct(correction, once)).map(correctionDocument) };
    },
  }),
  jsonRoute({
    method: 'GET',
    path: '/api/routes',
    scope: 'read',
    summary: 'List which session answers which key, by key, of all or of one source. Pages go on with `after`.',
    query: routeListQuery,
    answer: routeListSchema,
    handle: async ({ parts: { home }, query: { limit = PAGE, total, ...query } }) => {
      const routes: SessionRoute[] = [];
      for await (const route of home.gateway.routes(query)) {
        if (routes.push(route) > limit) break;
      }
      const shown = routes.slice(0, limit);
      const last = shown.at(-1)?.key;
      return {
        routes: shown.map(routeDocument),
        ...(await totalOf(total, () => home.counts.routes(query.source))),
        ...(routes.length > limit && last !== undefined && { next: last }),
      };
    },
  }),
  jsonRoute({
    method: 'POST',
    path: '/api/routes/resolve',
    scope: 'append',
    summary: 'The session that answers a key: the one of before, taken up again, or a new one where the rules say so.',
    body: resolveSchema,
    answer: resolvedSchema,
    repeat: 'noted',
    handle: async ({ parts: { home, sessions }, body, once }) => {
      const resolved = await home.gateway.resolve(body, once);
      sessions.use(resolved.session, resolved.facts);
      return resolvedDocument(body.key, resolved, await home.gateway.budgets(resolved.facts));
    },
  }),
  jsonRoute({
    method: 'POST',
    path: '/api/routes/reset',
    scope: 'append',
    summary: 'End the session that answers a key; the next message starts afresh.',
    body: resetSchema,
    answer: resetDoneSchema,
    repeat: 'noted',
    handle: async ({ parts: { home }, body: { key, reason }, once }) => ({
      key,
      session: sessionDocument(await home.gateway.reset(key, reason, once)),
    }),
  }),
] as const;
