import type { UsageReport } from '../../../core/sessions/session.ts';
import type { ReadEvent } from './run-event.ts';

/** More than this no call of a model uses. Whoever reports more is mistaken or lies, and the budgets of all would pay for it. */
const MOST_TOKENS = 10_000_000;
const MOST_USD = 1000;

/** Refuses a report that cannot be true of one call. Totals are bounded by how much they grow at once. */
export function createReportBound(): (read: ReadEvent) => ReadEvent {
  const totals = new Map<string, Amounts>();
  return (read) => {
    if (read.status !== 'event' || read.event.kind !== 'usage') return read;
    const { usage, cumulative } = read.event;
    const name = cumulative === undefined ? undefined : JSON.stringify([cumulative, usage.model]);
    const before = (name === undefined ? undefined : totals.get(name)) ?? { tokens: 0, usd: 0 };
    const after = amountsOf(usage);
    if (after.tokens - before.tokens > MOST_TOKENS || after.usd - before.usd > MOST_USD)
      return { status: 'refused', problem: TOO_MUCH };
    if (name !== undefined) totals.set(name, after);
    return read;
  };
}

const TOO_MUCH = `reports more than ${MOST_TOKENS.toLocaleString('en')} tokens or $${MOST_USD} at once`;

interface Amounts {
  readonly tokens: number;
  readonly usd: number;
}

function amountsOf(usage: UsageReport): Amounts {
  const { inputTokens = 0, outputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0, reasoningTokens = 0 } = usage;
  const tokens = inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens + reasoningTokens;
  return { tokens, usd: usage.costUsd ?? 0 };
}
