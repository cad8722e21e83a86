import type { Spend, SpendBook, SpendShare } from '../core/gateway.ts';
import { ruleApplies } from './check-spend.ts';
import type { LiveRules } from './live-state.ts';
import { factsOf } from './verdict-of.ts';

/** A share of a limit that has just been used up, in words. */
export interface UsedShare extends SpendShare {
  readonly message: string;
}

export interface ShareTellerParts {
  readonly book: Pick<SpendBook, 'tell'>;
  readonly rules: LiveRules;
  readonly tell: (share: UsedShare) => void;
}

/** Tells of each set share of a limit when it is used, and once for all processes: the book knows what was told. */
export function createShareTeller({ book, rules, tell }: ShareTellerParts): (spent: readonly Spend[]) => void {
  const told = new Set<string>();
  const limits = rules.spend.flatMap((rule) => (rules.alertPercents ?? []).map((percent) => ({ rule, percent })));
  return (spent) => {
    for (const { scope, key, period, used } of spent) {
      for (const { rule, percent } of limits) {
        const { counter, limit } = rule;
        if (counter === 'messages' || counter === 'bytes' || !ruleApplies(rule, { scope, key })) continue;
        const share = { scope, key, period, counter, limit, percent };
        const isNew = used[counter] >= (limit * percent) / 100 && !told.has(JSON.stringify(share));
        if (isNew) told.add(JSON.stringify(share));
        if (!isNew || !book.tell(share)) continue;
        const facts = factsOf({ causes: [{ rule: counter, scope, used: used[counter], limit }] });
        tell({ ...share, message: `${percent} % of a budget is used. ${facts}` });
      }
    }
  };
}
