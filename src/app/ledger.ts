import type { LedgerGroup, LedgerQuery, LedgerRecord } from '../core/stores/ledger-book.ts';
import { addUsage, NO_USAGE, totalTokens, type Usage } from '../core/sessions/session.ts';
import { localDay, zoneOffset } from '../gateway/zone-offset.ts';
import type { HomeParts } from './home-parts.ts';

export interface LedgerTotalsQuery extends Omit<LedgerQuery, 'below' | 'limit'> {
  readonly by: LedgerGroup;
}

/** What some removed sessions had used together. */
export interface LedgerAmount {
  readonly sessions: number;
  readonly messages: number;
  readonly usage: Usage;
}

export interface LedgerTotal extends LedgerAmount {
  /** The day (`2026-01-31`), the month (`2026-01`), the model or the source. */
  readonly key: string;
}

export interface LedgerTotals {
  /** Days and months newest first; models and sources with the highest cost first. */
  readonly totals: readonly LedgerTotal[];
  /** Everything that was asked for: each session once, also where it used several models, or none. */
  readonly total: LedgerAmount;
}

/**
 * What removed sessions had used. Their trace stays when everything else is gone; a session that is given back leaves it again.
 * Days and months are those of the last activity, in the time zone of the budgets.
 */
export class Ledger {
  readonly #parts: HomeParts;

  constructor(parts: HomeParts) {
    this.#parts = parts;
  }

  /** The last to go first. */
  list(query?: LedgerQuery): AsyncIterable<LedgerRecord> {
    return this.#parts.store.ledger(query);
  }

  async totals({ by, ...query }: LedgerTotalsQuery): Promise<LedgerTotals> {
    const groupsOf = grouping(by, this.#parts.config.budgets.time_zone);
    const totals = new Map<string, LedgerTotal>();
    let total: LedgerAmount = NOTHING;
    for await (const entry of this.list(query)) {
      total = plus(total, entry, usageOf(entry));
      for (const { key, usage } of groupsOf(entry)) {
        totals.set(key, { key, ...plus(totals.get(key) ?? NOTHING, entry, usage) });
      }
    }
    const byTime = by === 'day' || by === 'month';
    return { totals: [...totals.values()].toSorted(byTime ? newestFirst : dearestFirst), total };
  }
}

/** What all models together were used for. */
export function usageOf({ usageByModel }: Pick<LedgerRecord, 'usageByModel'>): Usage {
  return usageByModel.reduce<Usage>(addUsage, NO_USAGE);
}

const NOTHING: LedgerAmount = { sessions: 0, messages: 0, usage: NO_USAGE };

type Grouping = (entry: LedgerRecord) => readonly { readonly key: string; readonly usage: Usage }[];

function grouping(by: LedgerGroup, timeZone: string): Grouping {
  if (by === 'model') return ({ usageByModel }) => usageByModel.map((usage) => ({ key: usage.model, usage }));
  const offsetAt = zoneOffset(timeZone);
  const length = by === 'day' ? 'yyyy-mm-dd'.length : 'yyyy-mm'.length;
  return (entry) => {
    const key = by === 'source' ? entry.source : localDay(entry.lastActiveAt, offsetAt).slice(0, length);
    return [{ key, usage: usageOf(entry) }];
  };
}

function plus({ sessions, messages, usage }: LedgerAmount, { messageCount }: LedgerRecord, more: Usage): LedgerAmount {
  return { sessions: sessions + 1, messages: messages + messageCount, usage: addUsage(usage, more) };
}

function newestFirst(a: LedgerTotal, b: LedgerTotal): number {
  return a.key < b.key ? 1 : -1;
}

function dearestFirst(a: LedgerTotal, b: LedgerTotal): number {
  const byTokens = totalTokens(b.usage) - totalTokens(a.usage);
  return b.usage.costUsd - a.usage.costUsd || byTokens || (a.key < b.key ? -1 : 1);
}
