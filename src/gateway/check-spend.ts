import { type Counter, OK, type Scope, type Spend, type Verdict } from '../core/gateway.ts';
import type { SessionSize } from '../core/session.ts';
import { strictest } from './strictest.ts';
import { verdictOf } from './verdict-of.ts';

/** A limit on one counter. */
export interface SpendRule {
  readonly scope: Scope;
  /** Only for this key, such as one model; absent for whatever key is asked about. */
  readonly key?: string | undefined;
  readonly counter: Counter;
  readonly limit: number;
  /** From here on there is a warning. */
  readonly warnAt: number;
  readonly onBreach: 'warn' | 'reset' | 'stop';
}

/**
 * Judges totals by the rules, the strictest first. Asked before a step: a limit that is reached, counting time that has passed
 * but is not in the totals yet, allows no further one.
 */
export function checkSpend(rules: readonly SpendRule[], spent: readonly Spend[], uncountedMs = 0): Verdict {
  const verdicts: Verdict[] = [];
  for (const spend of spent) {
    for (const rule of rules) {
      if (!ruleApplies(rule, spend) || isOfSize(rule.counter)) continue;
      const used = spend.used[rule.counter] + (rule.counter === 'wallMs' ? uncountedMs : 0);
      const verdict = judge(rule, used);
      if (verdict !== OK) verdicts.push(verdict);
    }
  }
  return strictest(verdicts);
}

/** Judges how large a session is. A message that was said is kept, so it is the next step that a limit forbids. */
export function checkSize(rules: readonly SpendRule[], size: SessionSize): Verdict {
  const verdicts: Verdict[] = [];
  for (const rule of rules) {
    if (rule.scope !== 'session' || !isOfSize(rule.counter)) continue;
    const verdict = judge(rule, size[rule.counter]);
    if (verdict !== OK) verdicts.push(verdict);
  }
  return strictest(verdicts);
}

export function ruleApplies(rule: SpendRule, { scope, key }: Pick<Spend, 'scope' | 'key'>): boolean {
  return rule.scope === scope && (rule.key === undefined || rule.key === key);
}

function isOfSize(counter: Counter): counter is keyof SessionSize {
  return counter === 'messages' || counter === 'bytes';
}

function judge({ scope, counter, limit, warnAt, onBreach }: SpendRule, used: number): Verdict {
  if (used < warnAt && used < limit) return OK;
  return verdictOf(used >= limit ? onBreach : 'warn', { rule: counter, scope, used, limit });
}
