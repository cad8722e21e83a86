import { Failure } from '../../core/failure.ts';
import {
  type Amounts,
  OK,
  type Reserved,
  type Scope,
  type Spend,
  type SpendKey,
  type Verdict,
} from '../../core/gateway/gateway.ts';
import { isOfSize, type SpentCounter } from '../../core/gateway/limits.ts';
import type { Once } from '../../core/gateway/once.ts';
import type { Correction, NewCorrection, Reservation, SpendBook } from '../../core/gateway/spend-book.ts';
import { checkReason, noSuchSession } from '../../core/sessions/check-session.ts';
import { type SessionFacts, totalTokens } from '../../core/sessions/session.ts';
import { type EpochMs, isoTime } from '../../core/time.ts';
import { checkFits, checkSpend, reserves, ruleApplies, type SpendRule } from '../../gateway/spend/check-spend.ts';
import { FIRST_STEP } from '../../gateway/spend/held-ahead.ts';
import { nextDay } from '../../gateway/next-day.ts';
import { createSpendScopes, type SpendScopes } from '../../gateway/spend/spend-scopes.ts';
import { forbids, strictest } from '../../gateway/strictest.ts';
import { factsOf } from '../../gateway/verdict-of.ts';
import { localDay } from '../../gateway/zone-offset.ts';
import type { HomeParts } from '../home-parts.ts';
import type { GatewayRules } from './gateway-rules.ts';

/** How a limit stands: what is used of it, what calls under way have set aside, and what is left. */
export interface BudgetStanding {
  readonly scope: Scope;
  /** The source or model; empty for the day, and for a session. */
  readonly key: string;
  readonly counter: SpentCounter;
  readonly limit: number;
  readonly used: number;
  readonly reserved: number;
  /** Never below nothing. */
  readonly left: number;
  /** When it begins anew; absent for what one session may use. */
  readonly until?: EpochMs;
}

export interface BudgetsParts extends Pick<HomeParts, 'config' | 'store' | 'clock'> {
  readonly book: SpendBook;
  readonly rulesFor: (source: string) => GatewayRules;
}

/** A run that is about to start. */
export interface RunToAdmit {
  readonly sessionId: string;
  readonly source: string;
  readonly rules: readonly SpendRule[];
  /** What is set aside for it; what a first step needs when absent. */
  readonly needs?: Reserved | undefined;
}

/** A false report to take back. */
export interface CorrectionRequest extends Pick<NewCorrection, 'by' | 'reason' | 'tokens' | 'nanoUsd'> {
  readonly sessionId: string;
  /** The local day on which it was counted; today when absent. */
  readonly day?: string | undefined;
  /** The model that it named; the session's own when absent. */
  readonly model?: string | undefined;
}

/** What may still be used, by whom: asked before anything is started, shown, and set right. */
export class Budgets {
  readonly #parts: BudgetsParts;

  constructor(parts: BudgetsParts) {
    this.#parts = parts;
  }

  /** Sets aside what a run will need, or refuses to start it. Undefined where no limit asks for that. */
  async admit({ sessionId, source, rules, needs = FIRST_STEP }: RunToAdmit): Promise<Reservation | undefined> {
    const { book, clock } = this.#parts;
    if (!reserves(rules)) return undefined;
    const account = this.#scopes(sessionId, source, rules);
    let verdict: Verdict = OK;
    const request = { account, shared: account.shared, amounts: needs };
    const reservation = await book.reserve(request, (spent) => {
      verdict = strictest([checkSpend(rules, spent), checkFits(rules, spent, { ...needs, certain: false })]);
      return !forbids(verdict);
    });
    if (reservation !== undefined) return reservation;
    throw usedUp(verdict, nextDay(clock.now(), this.#parts.rulesFor(source).budgetOffsetAt));
  }

  /** How every limit stands that several sessions share. */
  async standings(): Promise<readonly BudgetStanding[]> {
    const { budgets } = this.#parts.config;
    const sources = Object.keys(budgets.source);
    const standings = [await this.#standingsOf(sources[0] ?? '', ({ scope }) => scope === 'day' || scope === 'model')];
    for (const source of sources) standings.push(await this.#standingsOf(source, ({ scope }) => scope === 'source'));
    return standings.flat();
  }

  /** How every limit stands that binds this session. */
  standingsFor({
    id,
    source,
    model,
  }: Pick<SessionFacts, 'id' | 'source' | 'model'>): Promise<readonly BudgetStanding[]> {
    const bound = ({ scope, key }: SpendRule) => scope !== 'model' || key === model;
    return this.#standingsOf(source, bound, id);
  }

  /** Takes a false report back from the totals that it was counted in. Who did so, when and why is kept. */
  async correct(request: CorrectionRequest, once?: Once): Promise<void> {
    const { store, book, clock } = this.#parts;
    const { sessionId, by, reason, tokens, nanoUsd } = request;
    checkReason(reason);
    const facts = await store.get(sessionId);
    if (facts === undefined) throw noSuchSession(sessionId);
    const { budgetOffsetAt } = this.#parts.rulesFor(facts.source);
    const period = request.day ?? localDay(clock.now(), budgetOffsetAt);
    const model = request.model ?? facts.model;
    const session: SpendKey = { scope: 'session', key: sessionId, period: '' };
    const keys: readonly SpendKey[] = [
      session,
      { scope: 'source', key: facts.source, period },
      { scope: 'day', key: '', period },
      ...(model === undefined ? [] : [{ scope: 'model' as const, key: model, period }]),
    ];
    const known = { key: session, totals: usedBefore(facts) };
    const correction = { sessionId, by, reason, tokens, nanoUsd };
    if (!(await book.correct(keys, correction, { known, once }))) throw notSoMuch(sessionId);
  }

  corrections(): Promise<readonly Correction[]> {
    return this.#parts.book.corrections();
  }

  #scopes(sessionId: string, source: string, rules: readonly SpendRule[]): SpendScopes {
    const offsetAt = this.#parts.rulesFor(source).budgetOffsetAt;
    return createSpendScopes({ sessionId, source, offsetAt, rules })(this.#parts.clock.now(), undefined);
  }

  async #standingsOf(
    source: string,
    wanted: (rule: SpendRule) => boolean,
    sessionId = '',
  ): Promise<readonly BudgetStanding[]> {
    const { clock, book } = this.#parts;
    const { live, budgetOffsetAt } = this.#parts.rulesFor(source);
    const rules = live.spend.filter(isSpent).filter(wanted);
    const until = nextDay(clock.now(), budgetOffsetAt);
    const { session, shared } = this.#scopes(sessionId, source, rules);
    const models = rules.flatMap(({ scope, key = '' }): SpendKey[] => {
      return scope === 'model' ? [{ scope, key, period: shared[0]?.period ?? '' }] : [];
    });
    const spent = await book.read({ session, limited: [...shared, ...models] }, true);
    return rules.flatMap((rule) => {
      const row = spent.find((spend) => ruleApplies(rule, spend));
      return row === undefined ? [] : [standing(rule, row, until)];
    });
  }
}

interface SpentRule extends SpendRule {
  readonly counter: SpentCounter;
}

function isSpent(rule: SpendRule): rule is SpentRule {
  return !isOfSize(rule.counter);
}

function standing({ scope, counter, limit }: SpentRule, row: Spend, until: EpochMs): BudgetStanding {
  const used = row.used[counter];
  const reserved = counter === 'tokens' || counter === 'nanoUsd' ? (row.reserved?.[counter] ?? 0) : 0;
  const key = scope === 'session' ? '' : row.key;
  const left = Math.max(0, limit - used - reserved);
  return { scope, key, counter, limit, used, reserved, left, ...(scope !== 'session' && { until }) };
}

/** What the store knows, for a session that the counters have not met. Steps and time are counted from here on. */
export function usedBefore({ usage }: SessionFacts): Amounts {
  return { tokens: totalTokens(usage), nanoUsd: Math.round(usage.costUsd * 1e9) };
}

function notSoMuch(sessionId: string): Failure {
  return new Failure('refused', `The session ${sessionId} has not used as much, so nothing was taken back.`, {
    hint: 'See what is counted for it with: coppice budget --by session',
  });
}

function usedUp(verdict: Verdict, until: EpochMs): Failure {
  const byDay = verdict.causes.some(({ scope }) => scope !== 'session');
  const crowded = verdict.causes.some(({ used, limit }) => used < limit);
  const when = byDay && !crowded ? ` No run that counts towards it starts until ${isoTime(until)}.` : '';
  return new Failure('refused', `The run was not started. ${factsOf(verdict)}${when}`, {
    hint: crowded
      ? 'Run it again when the others have ended, or see what is left with: coppice budget'
      : 'Raise the limit under budgets in config.yaml, or take a false report back with: coppice budget correct',
  });
}
