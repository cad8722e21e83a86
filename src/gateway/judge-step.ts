import { OK, type Reserved, type Spend, type Verdict } from '../core/gateway/gateway.ts';
import type { Allows, Reservation, ReserveRequest, SpendStep } from '../core/gateway/spend-book.ts';
import { checkFits, checkSpend, reserves } from './spend/check-spend.ts';
import type { LiveRules } from './live-state.ts';
import type { SpendScopes } from './spend/spend-scopes.ts';
import { forbids, strictest } from './strictest.ts';

export interface StepJudgeParts {
  readonly rules: LiveRules;
  readonly account: SpendScopes;
  /** What to set aside for the step, where a limit asks for that. */
  readonly amounts: Reserved;
  /** The time before the step. */
  readonly wallMs: number;
  /** What was set aside before, which the step takes over. */
  readonly instead: Reservation | undefined;
  /** What is said of the size of the session. */
  readonly grown: Verdict;
  readonly lastUse: Reserved;
  /** What the guards say at that moment. */
  readonly guards: () => Verdict;
}

export interface StepJudge extends Pick<StepJudgeParts, 'wallMs' | 'instead'> {
  readonly step: SpendStep | ReserveRequest;
  readonly allows: Allows;
  /** A moment between two events that come with the step: what the guards say then counts too. */
  pass(): void;
  /** What was said last. */
  verdict(): Verdict;
  guarded(): Verdict;
}

/** Judges one step, in the very moment in which it is counted. The book may ask again with other totals: the last word counts. */
export function judgeStep(parts: StepJudgeParts): StepJudge {
  const { rules, account, amounts, wallMs, instead, grown, guards } = parts;
  let verdict: Verdict = OK;
  let guarded: Verdict = OK;
  let passed: Verdict | undefined;
  const needs = { ...parts.lastUse, certain: false };
  const step = reserves(rules.spend)
    ? { account, shared: account.shared, amounts, instead, stepMs: wallMs }
    : { account, wallMs };
  return {
    step,
    wallMs,
    instead,
    pass() {
      const now = guards();
      passed = passed === undefined ? now : strictest([passed, now]);
    },
    allows(spent: readonly Spend[]) {
      const now = guards();
      guarded = passed !== undefined && forbids(passed) ? passed : now;
      const fits = checkFits(rules.spend, spent, needs);
      verdict = strictest([guarded, grown, checkSpend(rules.spend, spent, wallMs), fits]);
      return !forbids(verdict);
    },
    verdict: () => verdict,
    guarded: () => guarded,
  };
}
