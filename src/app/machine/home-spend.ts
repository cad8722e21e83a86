import type { Inventory } from '../../core/retention/inventory.ts';
import { totalTokens } from '../../core/sessions/session.ts';
import { DAY_MS, type EpochMs } from '../../core/time.ts';
import { localDay, zoneOffset } from '../../gateway/zone-offset.ts';
import type { HomeParts } from '../home-parts.ts';
import { usageOf } from '../ledger.ts';

/** What sessions of a home used in a time. */
export interface Spent {
  readonly tokens: number;
  readonly costUsd: number;
  /** Other sessions that began before were used in this time as well, and what of them falls into it is not known. */
  readonly atLeast?: true;
}

/** Absent where the home does not record what its sessions used. */
export interface HomeSpend {
  readonly today?: Spent;
  readonly month?: Spent;
}

/**
 * What is certain from what is recorded of sessions, those that were removed included: all that a session used which began today was
 * used today. Days and months are those of the budgets.
 */
export async function homeSpend(
  { store, config, clock }: Pick<HomeParts, 'store' | 'config' | 'clock'>,
  { sessions }: Pick<Inventory, 'sessions'>,
): Promise<HomeSpend> {
  const offsetAt = zoneOffset(config.budgets.time_zone);
  const day = (at: EpochMs) => localDay(at, offsetAt);
  const now = clock.now();
  const today = tally((at) => day(at) === day(now));
  const month = tally((at) => day(at).slice(0, MONTH) === day(now).slice(0, MONTH));
  for (const session of sessions) {
    const { startedAt, lastActiveAt, tokens, costUsd } = session;
    if (tokens === undefined && costUsd === undefined) continue;
    const used = { tokens: tokens ?? 0, costUsd: costUsd ?? 0, startedAt, lastActiveAt };
    today.add(used);
    month.add(used);
  }
  for await (const entry of store.ledger({ since: now - MOST_OF_A_MONTH_MS })) {
    const usage = usageOf(entry);
    const used = { tokens: totalTokens(usage), costUsd: usage.costUsd, ...entry };
    today.add(used);
    month.add(used);
  }
  const [spentToday, spentMonth] = [today.sum(), month.sum()];
  return {
    ...(spentToday !== undefined && { today: spentToday }),
    ...(spentMonth !== undefined && { month: spentMonth }),
  };
}

const MONTH = 'yyyy-mm'.length;
const MOST_OF_A_MONTH_MS = 33 * DAY_MS;

interface Used {
  readonly tokens: number;
  readonly costUsd: number;
  readonly startedAt: EpochMs;
  readonly lastActiveAt: EpochMs;
}

function tally(within: (at: EpochMs) => boolean) {
  let [tokens, costUsd, any, atLeast] = [0, 0, false, false];
  return {
    add(used: Used): void {
      any = true;
      if (within(used.startedAt)) {
        tokens += used.tokens;
        costUsd += used.costUsd;
      } else if (within(used.lastActiveAt) && used.tokens + used.costUsd > 0) atLeast = true;
    },
    sum(): Spent | undefined {
      if (!any) return undefined;
      return { tokens, costUsd: Math.round(costUsd * 1e9) / 1e9, ...(atLeast && { atLeast }) };
    },
  };
}
