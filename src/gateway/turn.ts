import {
  type Amounts,
  type FoundTokens,
  OK,
  type Reservation,
  type Reserved,
  type Spend,
  type Verdict,
} from '../core/gateway/gateway.ts';
import type { Once } from '../core/gateway/once.ts';
import type { JsonValue } from '../core/json.ts';
import { type SessionSize, totalTokens, weighedTokens } from '../core/sessions/session.ts';
import { type EpochMs, MINUTE_MS } from '../core/time.ts';
import { checkPrice } from './check-price.ts';
import { checkFits, checkSize, checkSpend, type Estimate, reserves } from './check-spend.ts';
import { followGuard } from './follow-guard.ts';
import { type GuardEvent, guardVerdict } from './guards.ts';
import { FIRST_STEP } from './held-ahead.ts';
import type { AddedMessage, JudgedCall, LiveState, TurnStart } from './live-state.ts';
import { priceOf, priceUsage, UNNAMED_MODEL } from './price-usage.ts';
import { SetAside } from './set-aside.ts';
import type { SpendScopes } from './spend-scopes.ts';
import { stopReason } from './stop-reason.ts';
import { forbids, strictest } from './strictest.ts';
import type { UsageDelta, UsageEvent } from './usage-meter.ts';

/**
 * One stretch of work in a live session. Close it with `await using` or `end()`. A session that is told to stop ends at once, and takes
 * no more messages from anybody; what went wrong with that is said by `usage` and `end`, which wait for it.
 */
export class Turn implements AsyncDisposable {
  readonly #state: LiveState;
  /** Up to here the time of this turn is counted. */
  #countedAt: EpochMs;
  #ended = false;
  readonly #aside: SetAside;

  constructor(state: LiveState, { workedMs = 0, ...start }: TurnStart) {
    this.#state = state;
    this.#countedAt = state.clock.now() - workedMs;
    this.#aside = new SetAside(start);
  }

  /**
   * Asks for one more step. It is counted, and what it will need is set aside, in all processes at once, unless the verdict forbids
   * it.
   */
  beforeIteration(): Verdict {
    const { book, rules, lastUse = FIRST_STEP } = this.#state;
    const wallMs = this.#uncountedMs();
    const besides = strictest([this.#guarded(), this.#grown()]);
    const account = this.#scopes();
    let verdict = besides;
    const allows = (spent: readonly Spend[]): boolean => {
      const fits = checkFits(rules.spend, spent, { ...lastUse, certain: false });
      verdict = strictest([besides, checkSpend(rules.spend, spent, wallMs), fits]);
      return !forbids(verdict);
    };
    if (reserves(rules.spend)) {
      const { shared } = account;
      const amounts = this.#aside.amounts(lastUse);
      const wanted = { account, shared, amounts, instead: this.#aside.reservation, stepMs: wallMs };
      const reservation = book.reserve(wanted, allows);
      this.#aside.reservation = reservation ?? this.#aside.reservation;
      if (reservation !== undefined) this.#countedAt += wallMs;
    } else if (book.step({ account, wallMs }, allows)) {
      this.#countedAt += wallMs;
    }
    return this.#remember(verdict);
  }

  /**
   * Asks for one call of a model, which is a step, and sets aside what it is expected to use. Unless the verdict forbids it there is a reservation, which
   * `usage` settles. A call that only has to wait for others is not the end of the session: whoever asks may ask again.
   */
  beforeCall(model: string, needs: Estimate): JudgedCall {
    const { book, rules } = this.#state;
    const stepMs = this.#uncountedMs();
    const account = this.#state.scopesAt(this.#state.clock.now(), model);
    const price = model === UNNAMED_MODEL ? OK : checkPrice(rules, model);
    let spend: Verdict = OK;
    let fits: Verdict = OK;
    const amounts = { tokens: needs.tokens, nanoUsd: needs.nanoUsd };
    // What was set aside for the step is for its calls.
    const wanted = { isCall: true, account, shared: account.shared, amounts, instead: this.#aside.reservation, stepMs };
    const reservation = book.reserve(wanted, (spent) => {
      spend = strictest([this.#guarded(), price, checkSpend(rules.spend, spent, stepMs)]);
      fits = checkFits(rules.spend, spent, needs);
      return !forbids(spend) && !forbids(fits);
    });
    if (reservation !== undefined) {
      this.#countedAt += stepMs;
      this.#aside.take();
    }
    const crowded = !forbids(spend) && forbids(fits) && fits.causes.every(({ reserved = 0 }) => reserved > 0);
    const verdict = forbids(fits) && !forbids(spend) ? fits : spend;
    return { verdict, ...(reservation && { reservation }), crowded };
  }

  /** Takes a verdict of `beforeCall` as the end: the session was told so, and is told nothing else. */
  heed(verdict: Verdict): Verdict {
    return this.#remember(verdict);
  }

  /** A call came to nothing, so what was set aside for it is given back. */
  callOff(reservation: Reservation): void {
    this.#state.book.release(reservation);
  }

  /**
   * Counts what a model call used, then records it; durable when the promise resolves. What was set aside for it is settled. Under a
   * key each of the two is done once: whoever died between them asks again, and only what is missing is made up for.
   */
  async usage(event: UsageEvent, settled = this.#aside.take(), once?: Once): Promise<Verdict> {
    const { meter, rules, recorder } = this.#state;
    this.#aside.keep(settled);
    const delta = meter.take(event);
    const nanoUsd = priceUsage(delta, rules.prices);
    const { nanoUsd: _reported, ...used } = delta;
    const added = { ...used, costUsd: nanoUsd / 1e9 };
    const tokens = totalTokens(added);
    this.#state.model = event.model;
    if (tokens + nanoUsd + used.reasoningTokens > 0) {
      const { session, shared } = this.#scopes();
      const report = { sessionId: this.#state.sessionId, usage: added, ...(once && { id: once.key }) };
      const note = this.#once(once, () => {
        const ahead = this.#aside.aheadOf({ tokens, nanoUsd });
        const noted = this.#state.book.add([session, ...shared], { tokens, nanoUsd }, { settled, ahead, report });
        this.#state.lastUse = { tokens, nanoUsd };
        this.#flow({ tokens: weighedTokens(added) });
        return noted;
      });
      if (note !== undefined) await recorder.usage(added, note, once);
    } else this.#aside.unused(settled, this.#state.book);
    return this.#judgeUse(event.model, delta.nanoUsd === undefined ? tokens : 0);
  }

  /**
   * Counts a call that the agent wrote down itself, then records it. The same id counts once, in all processes and runs; told again with
   * more, what is more counts.
   */
  async found(id: string, { model, ...tokens }: Pick<UsageDelta, 'model'> & FoundTokens): Promise<Verdict> {
    const { book, rules, recorder, sessionId } = this.#state;
    this.#state.model = model;
    const { session, shared } = this.#scopes();
    const countOf = (added: FoundTokens) => {
      const nanoUsd = priceUsage({ model, ...added }, rules.prices);
      const usage = { model, ...added, costUsd: nanoUsd / 1e9 };
      return { usage, amounts: { tokens: totalTokens(usage), nanoUsd } };
    };
    const keys = [session, ...shared];
    const settled = this.#aside.reservation;
    const aheadOf = (amounts: Reserved) => this.#aside.aheadOf(amounts);
    const counted = book.addFound({ id, tokens, sessionId, keys, countOf, settled, aheadOf });
    if (counted === undefined) return this.#judge();
    const { usage, amounts, note } = counted;
    this.#aside.keep(this.#aside.take());
    this.#state.lastUse = amounts;
    this.#flow({ tokens: weighedTokens(usage) });
    if (note !== undefined) await recorder.usage(usage, note);
    return this.#judgeUse(model, amounts.tokens);
  }

  /** Of tokens whose cost nobody told, the price is asked for. */
  async #judgeUse(model: string, tokens: number): Promise<Verdict> {
    const { rules, unpriced } = this.#state;
    if (tokens > 0 && priceOf(model, rules.prices) === undefined) unpriced.add(model);
    const price = tokens > 0 ? checkPrice(rules, model, tokens) : OK;
    const verdict = this.#remember(strictest([this.#judge(), price]));
    await this.#state.ending;
    return verdict;
  }

  /** Models that were used in this process, for which no price is known. */
  unpriced(): readonly string[] {
    return [...this.#state.unpriced];
  }

  /** The model calls a tool. Without arguments, repeated calls cannot be told from others. */
  toolCall({ name, args }: { readonly name: string; readonly args?: JsonValue }): Verdict {
    return this.#guard({ kind: 'call', name, ...(args !== undefined && { args }) });
  }

  /** A tool answered. Whoever reports no calls, only results, is understood too. */
  toolResult({ name, ok }: { readonly name: string; readonly ok: boolean }): Verdict {
    return this.#guard({ kind: 'result', name, ok });
  }

  /** A message was added to the session. */
  message(message: AddedMessage): Verdict {
    return this.messages([message]);
  }

  /** Messages were added to the session. Those that were said earlier, as in a backlog, are no part of a flood. */
  messages(messages: readonly AddedMessage[]): Verdict {
    const now = this.#state.clock.now();
    const fresh = messages.filter(({ at }) => at === undefined || now - at < MINUTE_MS);
    this.#flow({ messages: fresh.length, bytes: fresh.reduce((sum, { bytes }) => sum + bytes, 0) });
    return this.#judge();
  }

  /** Output was added to the session. */
  output(): Verdict {
    return this.#judge();
  }

  /** How things are, though no step was taken. What was printed is given, whether it was added to the session or not. */
  check({ printedBytes }: { readonly printedBytes: number }): Verdict {
    this.#flow({ bytes: printedBytes });
    return this.#judge();
  }

  /** All that was used in this session so far, by every process. */
  used(): Amounts {
    return this.#state.book.read(this.#scopes())[0]?.used ?? {};
  }

  /** How large the session is, through whomever it grew. */
  size(): SessionSize {
    return this.#state.recorder.size() ?? { messages: 0, bytes: 0 };
  }

  /** Counts the rest of the time. If the session was stopped, it has ended with the cause. Ending twice is the same as once. */
  async end(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    const { book, stopped } = this.#state;
    const wallMs = this.#uncountedMs();
    if (wallMs > 0) book.add([this.#scopes().session], { wallMs });
    const reservation = this.#aside.take();
    if (reservation !== undefined) book.release(reservation);
    if (stopped !== undefined) await this.#endSession(stopped);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
  }

  #once<T>(once: Once | undefined, count: () => T): T {
    return once === undefined ? count() : this.#state.book.once(once, count);
  }

  #guard(event: GuardEvent): Verdict {
    followGuard(this.#state, event);
    return this.#guarded();
  }

  #guarded(): Verdict {
    const { guards, rules, clock } = this.#state;
    return this.#remember(guardVerdict(guards, rules.guards, clock.now()));
  }

  #flow(amounts: Extract<GuardEvent, { kind: 'flow' }>['amounts']): void {
    followGuard(this.#state, { kind: 'flow', at: this.#state.clock.now(), amounts });
  }

  /** The verdict of everything as it is now. */
  #judge(): Verdict {
    const { book, rules } = this.#state;
    const totals = book.read(this.#scopes());
    this.#state.tellShares?.(totals);
    const spent = checkSpend(rules.spend, totals, this.#uncountedMs());
    return this.#remember(strictest([this.#guarded(), spent, this.#grown()]));
  }

  /** Its store is asked each time: other processes may have added to the session. */
  #grown(): Verdict {
    return checkSize(this.#state.rules.spend, this.size());
  }

  #remember(verdict: Verdict): Verdict {
    const state = this.#state;
    if (verdict.kind === 'stop' && state.stopped === undefined) {
      state.stopped = verdict;
      // Whoever waits for it is told when it fails.
      if (!state.isSupervised) this.#endSession(verdict).catch(() => undefined);
    }
    return state.stopped ?? verdict;
  }

  #endSession(verdict: Verdict): Promise<void> {
    const state = this.#state;
    state.ending ??= state.recorder.end(stopReason(verdict), verdict);
    return state.ending;
  }

  #scopes(): SpendScopes {
    const { scopesAt, clock, model } = this.#state;
    return scopesAt(clock.now(), model);
  }

  /** A clock that went back takes nothing away, and counts on from where it is. */
  #uncountedMs(): number {
    const now = this.#state.clock.now();
    this.#countedAt = Math.min(this.#countedAt, now);
    return now - this.#countedAt;
  }
}
