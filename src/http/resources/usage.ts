import { jsonRoute } from '../route.ts';
import { usageTotalsQuery, usageTotalsSchema } from '../schemas/usage-schemas.ts';

/** What all agents have used. */
export const usageRoutes = [
  jsonRoute({
    method: 'GET',
    path: '/api/usage/totals',
    scope: 'read',
    summary:
      'Add up what all calls of models took that were ever seen, each once, also where transcripts and sessions are gone.',
    query: usageTotalsQuery,
    answer: usageTotalsSchema,
    handle: async ({ parts: { home }, query: { by = 'day', homes = 'all', ...query }, signal }) =>
      home.usage.totals({ by, ...query, everywhere: homes === 'all', signal }),
  }),
] as const;
