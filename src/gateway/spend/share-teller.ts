import type { Spend } from '../../core/gateway/gateway.ts';
import { isOfSize } from '../../core/gateway/limits.ts';
import type { SpendBook, SpendShare } from '../../core/gateway/spend-book.ts';
import { ruleApplies } from './check-spend.ts';
import type { LiveRules } from '../live-state.ts';
import { factsOf } from '../verdict-of.ts';

/** A share of a limit that has just been used up, in words. */
export interface UsedShare extends SpendShare {
  readonly used: number;
  readonly message: string;
}

export interface ShareTellerParts {
  readonly book: Pick<SpendBook, 'tell'>;
  readonly rules: LiveRules;
  readonly tell: (share: UsedShare) => void;
}

/** Tells of each set share of a limit when it is used, and once for all processes: the book knows what was told. */
export function createShareTeller({ book, rules, tell }: ShareTellerParts): (spent: readonly Spend[]) => Promise<void> {
  const told = new Set<string>();
  const limits = rules.spend.flatMap((rule) => (rules.alertPercents ?? []).map((percent) => ({ rule, percent })));
  return async (spent) => {
    for (const { scope, key, period, used: totals } of spent) {
      for (const { rule, percent } of limits) {
        const { counter, limit } = rule;
        if (isOfSize(counter) || !ruleApplies(rule, { scope, key })) continue;
        const used = totals[counter];
        const isUsed = used >= (limit * percent) / 100;
        // Asked after every message: most of the time nothing is near a share, and nothing was.
        if (!isUsed && told.size === 0) continue;
        const name = `${scope} ${counter} ${percent} ${limit} ${period} ${key}`;
        // A correction took it back, so it is told again.
        if (!isUsed) told.delete(name);
        if (!isUsed || told.has(name)) continue;
        told.add(name);
        if (!(await book.tell({ scope, key, period, counter, limit, percent }))) continue;
        const facts = factsOf({ causes: [{ rule: counter, scope, used, limit }] });
        const message = `${percent === 100 ? 'A budget is used up' : `${percent} % of a budget is used`}. ${facts}`;
        tell({ scope, key, period, counter, limit, percent, used, message });
      }
    }
  };
}
