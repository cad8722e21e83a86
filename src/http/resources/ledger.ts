import { ledgerDocument } from '../../app/documents/ledger-document.ts';
import type { LedgerRecord } from '../../core/stores/ledger-book.ts';
import { totalOf } from '../pages.ts';
import { jsonRoute } from '../route.ts';
import { ledgerListSchema, ledgerQuery, ledgerTotalsQuery, ledgerTotalsSchema } from '../schemas/ledger-schemas.ts';

const PAGE = 200;

/** What removed sessions had used. */
export const ledgerRoutes = [
  jsonRoute({
    method: 'GET',
    path: '/api/ledger',
    scope: 'read',
    summary: 'List what removed sessions had used, the last to go first. Pages go on with `below`.',
    query: ledgerQuery,
    answer: ledgerListSchema,
    handle: async ({ parts: { home }, query: { limit = PAGE, total, ...query } }) => {
      const entries: LedgerRecord[] = [];
      for await (const entry of home.ledger.list({ ...query, limit: limit + 1 })) entries.push(entry);
      const shown = entries.slice(0, limit);
      const last = shown.at(-1);
      return {
        entries: shown.map(ledgerDocument),
        ...(await totalOf(total, () => home.counts.ledger(query))),
        ...(entries.length > limit && last !== undefined && { next: last.number }),
      };
    },
  }),
  jsonRoute({
    method: 'GET',
    path: '/api/ledger/totals',
    scope: 'read',
    summary: 'Add up what removed sessions had used, by day, month, model or source.',
    query: ledgerTotalsQuery,
    answer: ledgerTotalsSchema,
    handle: async ({ parts: { home }, query: { by = 'day', ...query } }) => ({
      by,
      ...(await home.ledger.totals({ by, ...query })),
    }),
  }),
] as const;
