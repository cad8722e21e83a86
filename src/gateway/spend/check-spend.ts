import { OK, type Reserved, type Scope, type Spend, type Verdict } from '../../core/gateway/gateway.ts';
import { type Counter, isOfSize } from '../../core/gateway/limits.ts';
import type { SessionSize } from '../../core/sessions/session.ts';
import { strictest } from '../strictest.ts';
import { verdictOf } from '../verdict-of.ts';

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

/** What a step or a call is about to use. */
export interface Estimate extends Reserved {
  /** Known from calls like it, so it must fit. A guess must only fit beside what others have set aside: somebody has to begin. */
  readonly certain: boolean;
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

/** Judges whether a call fits into what is left beside the calls under way. Only limits that stop something are asked. */
export function checkFits(rules: readonly SpendRule[], spent: readonly Spend[], needs: Estimate): Verdict {
  const verdicts: Verdict[] = [];
  for (const spend of spent) {
    for (const { scope, key, counter, limit, onBreach } of rules) {
      if (!isReservable(counter) || onBreach === 'warn' || !ruleApplies({ scope, key }, spend)) continue;
      const used = spend.used[counter];
      const reserved = spend.reserved?.[counter] ?? 0;
      const fits = used + reserved + needs[counter] <= limit || (reserved === 0 && !needs.certain);
      // What is used up already is for `checkSpend` to say.
      if (fits || used >= limit) continue;
      verdicts.push(verdictOf(onBreach, { rule: counter, scope, used, limit, reserved, needs: needs[counter] }));
    }
  }
  return strictest(verdicts);
}

/** Whether anything has to be set aside before it is used: a limit on tokens or dollars stops something. */
export function reserves(rules: readonly SpendRule[]): boolean {
  return rules.some(({ counter, onBreach }) => isReservable(counter) && onBreach !== 'warn');
}

function isReservable(counter: Counter): counter is keyof Reserved {
  return counter === 'tokens' || counter === 'nanoUsd';
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

/** How large a session may be before it takes no more: no limit is beyond every number. */
export function mostSize(rules: readonly SpendRule[]): SessionSize {
  const least = (counter: keyof SessionSize): number => {
    const hard = rules.filter(
      (rule) => rule.scope === 'session' && rule.onBreach !== 'warn' && rule.counter === counter,
    );
    return Math.min(...hard.map(({ limit }) => limit));
  };
  return { messages: least('messages'), bytes: least('bytes') };
}

export function ruleApplies(
  rule: Pick<SpendRule, 'scope' | 'key'>,
  { scope, key }: Pick<Spend, 'scope' | 'key'>,
): boolean {
  return rule.scope === scope && (rule.key === undefined || rule.key === key);
}

function judge({ scope, counter, limit, warnAt, onBreach }: SpendRule, used: number): Verdict {
  if (used < warnAt && used < limit) return OK;
  return verdictOf(used >= limit ? onBreach : 'warn', { rule: counter, scope, used, limit });
}
