import type { App } from '../../app/app.ts';
import type { Answer } from '../../client/api.ts';
import type { Client } from '../../client/client.ts';
import type { LedgerQuery, LedgerRecord } from '../../core/stores/ledger-book.ts';
import { isoTime } from '../../core/time.ts';
import { mapped } from '../mapped.ts';

/** The ledger of a home behind a daemon. */
export function remoteLedger(client: Client): App['ledger'] {
  return {
    list: (query = {}) => mapped(client.ledger.list({ ...query, ...timesOf(query) }), readEntry),
    async totals(query) {
      const { totals, total } = await client.ledger.totals({ ...query, ...timesOf(query) });
      return { totals, total };
    },
  };
}

function timesOf({ since, before }: Pick<LedgerQuery, 'since' | 'before'>) {
  return {
    since: since === undefined ? undefined : isoTime(since),
    before: before === undefined ? undefined : isoTime(before),
  };
}

function readEntry(document: Answer<'GET /api/ledger'>['entries'][number]): LedgerRecord {
  const { usage: _, ...entry } = document;
  const { startedAt, lastActiveAt, endedAt, removedAt } = entry;
  return {
    ...(entry as Omit<typeof entry, 'endedAt'>),
    startedAt: Date.parse(startedAt),
    lastActiveAt: Date.parse(lastActiveAt),
    ...(endedAt !== undefined && { endedAt: Date.parse(endedAt) }),
    removedAt: Date.parse(removedAt),
  };
}
