import { type Amounts, type Counter, OK, type Scope, type Spend, type Verdict } from '../core/gateway.ts';
import { strictest } from './strictest.ts';
import { verdictOf } from './verdict-of.ts';

/** A limit on one counter. */
export interface SpendRule {
  readonly scope: Scope;
  /** Only for this key, such as one model; absent for whatever key is asked about. */
  readonly key?: string;
  readonly counter: Counter;
  readonly limit: number;
  /** From here on there is a warning. */
  readonly warnAt: number;
  readonly onBreach: 'warn' | 'reset' | 'stop';
}

/**
 * Judges totals by the rules, the strictest first. Asked before a step: a limit that is reached, counting what is `reserved`
 * but not in the totals yet, allows no further one.
 */
export function checkSpend(rules: readonly SpendRule[], spent: readonly Spend[], reserved: Amounts = {}): Verdict {
  const verdicts: Verdict[] = [];
  for (const spend of spent) {
    for (const rule of rules) {
      if (!ruleApplies(rule, spend)) continue;
      const verdict = judge(rule, spend.used[rule.counter] + (reserved[rule.counter] ?? 0));
      if (verdict !== OK) verdicts.push(verdict);
    }
  }
  return strictest(verdicts);
}

export function ruleApplies(rule: SpendRule, { scope, key }: Pick<Spend, 'scope' | 'key'>): boolean {
  return rule.scope === scope && (rule.key === undefined || rule.key === key);
}

/** The limits of one scope that allow no further step once they are reached. */
export function limitsOn(scope: Scope, rules: readonly SpendRule[]): Amounts {
  const most: Partial<Record<Counter, number>> = {};
  for (const { counter, limit, ...rule } of rules) {
    if (rule.scope === scope && rule.onBreach !== 'warn') most[counter] = Math.min(limit, most[counter] ?? Infinity);
  }
  return most;
}

function judge({ scope, counter, limit, warnAt, onBreach }: SpendRule, used: number): Verdict {
  if (used < warnAt && used < limit) return OK;
  return verdictOf(used >= limit ? onBreach : 'warn', { rule: counter, scope, used, limit });
}
