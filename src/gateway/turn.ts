import { type Amounts, OK, type Reserved, type Verdict } from '../core/gateway/gateway.ts';
import type { Once } from '../core/gateway/once.ts';
import type { FoundTokens, Reservation } from '../core/gateway/spend-book.ts';
import type { JsonValue } from '../core/json.ts';
import { type SessionSize, totalTokens, weighedTokens } from '../core/sessions/session.ts';
import { checkPrice } from './spend/check-price.ts';
import { checkFits, checkSize, checkSpend, type Estimate } from './spend/check-spend.ts';
import { countFound } from './spend/count-found.ts';
import { flowOf, flowOfMessages, followGuard, keptChange, seeFlow } from './follow-guard.ts';
import { guardVerdict, isKept, type ToolEvent } from './guards.ts';
import { FIRST_STEP } from './spend/held-ahead.ts';
import { judgeStep, type StepJudge } from './judge-step.ts';
import type { AddedMessage, JudgedCall, LiveState, TurnStart } from './live-state.ts';
import { priceOf, priceUsage, UNNAMED_MODEL } from './spend/price-usage.ts';
import { endStopped, remember } from './remember-stop.ts';
import { SetAside } from './spend/set-aside.ts';
import type { SpendScopes } from './spend/spend-scopes.ts';
import { forbids, strictest } from './strictest.ts';
import type { UsageDelta, UsageEvent } from './spend/usage-meter.ts';
import { WorkTime } from './work-time.ts';

const NO_SIZE: SessionSize = { messages: 0, bytes: 0 };

/**
 * One stretch of work in a live session. Close it with `await using` or `end()`. A session that is told to stop ends at once, and takes
 * no more messages from anybody; what went wrong with that is said by `usage` and `end`, which wait for it.
 */
export class Turn implements AsyncDisposable {
  readonly #state: LiveState;
  readonly #time: WorkTime;
  #ended = false;
  readonly #aside: SetAside;

  constructor(state: LiveState, { workedMs = 0, ...start }: TurnStart) {
    this.#state = state;
    this.#time = new WorkTime(state.clock, workedMs);
    this.#aside = new SetAside(start);
  }

  /**
   * Asks for one more step. It is counted, and what it will need is set aside, in all processes at once, unless the verdict forbids
   * it.
   */
  async beforeIteration(): Promise<Verdict> {
    const { book } = this.#state;
    const judge = this.#stepJudge(await this.#state.recorder.size());
    const { step } = judge;
    const taken =
      'amounts' in step ? ((await book.reserve(step, judge.allows)) ?? false) : await book.step(step, judge.allows);
    if (taken !== true || judge.instead !== undefined) await this.#taken(judge, taken);
    return this.#remembered(judge);
  }

  /**
   * Says which tools ran since the last step and asks for the next one, all of it together. Under a key that is done once: whoever asks
   * again is told what was said the first time.
   */
  async nextStep(tools: readonly ToolEvent[], once?: Once): Promise<Verdict> {
    const state = this.#state;
    const judge = this.#stepJudge(await this.#state.recorder.size());
    const keep = tools.length === 0 ? undefined : keptChange(state, tools, () => judge.pass());
    let taken: Reservation | boolean | undefined;
    const answer = (done: Reservation | boolean): Verdict => {
      taken = done;
      return judge.verdict();
    };
    const answered = await state.book.stepTogether({ once, keep, step: judge.step, answer }, judge.allows);
    // What was answered before had its time and its step counted then.
    await this.#taken(judge, taken ?? false);
    if (taken === undefined) this.#time.take();
    return taken === undefined ? remember(this.#state, answered) : this.#remembered(judge);
  }

  /**
   * Asks for one call of a model, which is a step, and sets aside what it is expected to use. Unless the verdict forbids it there is a reservation, which
   * `usage` settles. A call that only has to wait for others is not the end of the session: whoever asks may ask again.
   */
  async beforeCall(model: string, needs: Estimate): Promise<JudgedCall> {
    const { book, rules } = this.#state;
    const account = this.#state.scopesAt(this.#state.clock.now(), model);
    const price = model === UNNAMED_MODEL ? OK : checkPrice(rules, model);
    let spend: Verdict = OK;
    let fits: Verdict = OK;
    const amounts = { tokens: needs.tokens, nanoUsd: needs.nanoUsd };
    const stepMs = this.#time.take();
    // What was set aside for the step is for its calls.
    const instead = this.#aside.take();
    const wanted = { isCall: true, account, shared: account.shared, amounts, instead, stepMs };
    const reservation = await book.reserve(wanted, (spent) => {
      spend = strictest([this.#guards(), price, checkSpend(rules.spend, spent, stepMs)]);
      fits = checkFits(rules.spend, spent, needs);
      return !forbids(spend) && !forbids(fits);
    });
    remember(this.#state, this.#guards());
    if (reservation === undefined) {
      this.#time.giveBack(stepMs);
      await this.#aside.putBack(instead, book);
    }
    const crowded = !forbids(spend) && forbids(fits) && fits.causes.every(({ reserved = 0 }) => reserved > 0);
    const verdict = forbids(fits) && !forbids(spend) ? fits : spend;
    return { verdict, ...(reservation && { reservation }), crowded };
  }

  /** Takes a verdict of `beforeCall` as the end: the session was told so, and is told nothing else. */
  heed(verdict: Verdict): Verdict {
    return remember(this.#state, verdict);
  }

  /** A call came to nothing, so what was set aside for it is given back. */
  callOff(reservation: Reservation): Promise<void> {
    return this.#state.book.release(reservation);
  }

  /**
   * Counts what a model call used, then records it; durable when the promise resolves. What was set aside for it is settled. Under a
   * key each of the two is done once: whoever died between them asks again, and only what is missing is made up for.
   */
  async usage(event: UsageEvent, settled = this.#aside.take(), once?: Once): Promise<Verdict> {
    const { meter, rules, recorder, book } = this.#state;
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
      const ahead = this.#aside.aheadOf({ tokens, nanoUsd });
      const flow = flowOf(this.#state, { tokens: weighedTokens(added) });
      const keep = isKept(flow) ? keptChange(this.#state, [flow]) : undefined;
      const also = { settled, ahead, report, keep, once };
      const { note, isRepeat } = await book.add([session, ...shared], { tokens, nanoUsd }, also);
      if (!isRepeat) {
        this.#state.lastUse = { tokens, nanoUsd };
        seeFlow(this.#state, flow);
      }
      if (note !== undefined) await recorder.usage(added, note, once);
    } else await this.#aside.unused(settled, book);
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
    const countOf = (added: FoundTokens) => countFound({ model, ...added }, rules.prices);
    const keys = [session, ...shared];
    const settled = this.#aside.reservation;
    const aheadOf = (amounts: Reserved) => this.#aside.aheadOf(amounts);
    const counted = await book.addFound({ id, tokens, sessionId, keys, countOf, settled, aheadOf });
    if (counted === undefined) return this.#judge();
    const { usage, amounts, note } = counted;
    this.#aside.keep(this.#aside.take());
    this.#state.lastUse = amounts;
    await followGuard(this.#state, flowOf(this.#state, { tokens: weighedTokens(usage) }));
    if (note !== undefined) await recorder.usage(usage, note);
    return this.#judgeUse(model, amounts.tokens);
  }

  /** Of tokens whose cost nobody told, the price is asked for. */
  async #judgeUse(model: string, tokens: number): Promise<Verdict> {
    const { rules, unpriced } = this.#state;
    if (tokens > 0 && priceOf(model, rules.prices) === undefined) unpriced.add(model);
    const price = tokens > 0 ? checkPrice(rules, model, tokens) : OK;
    const verdict = remember(this.#state, strictest([await this.#judge(), price]));
    await this.#state.ending;
    return verdict;
  }

  /** Models that were used in this process, for which no price is known. */
  unpriced(): readonly string[] {
    return [...this.#state.unpriced];
  }

  /** The model calls a tool. Without arguments, repeated calls cannot be told from others. */
  toolCall({ name, args }: { readonly name: string; readonly args?: JsonValue }): Promise<Verdict> {
    return this.#guard({ kind: 'call', name, ...(args !== undefined && { args }) });
  }

  /** A tool answered. Whoever reports no calls, only results, is understood too. */
  toolResult({ name, ok }: { readonly name: string; readonly ok: boolean }): Promise<Verdict> {
    return this.#guard({ kind: 'result', name, ok });
  }

  /** A message was added to the session. */
  message(message: AddedMessage): Promise<Verdict> {
    return this.messages([message]);
  }

  /** Messages were added to the session. Those that were said earlier, as in a backlog, are no part of a flood. */
  async messages(messages: readonly AddedMessage[]): Promise<Verdict> {
    seeFlow(this.#state, flowOfMessages(messages, this.#state.clock.now()));
    return this.#judge();
  }

  /** Output was added to the session. */
  output(): Promise<Verdict> {
    return this.#judge();
  }

  /** How things are, though no step was taken. What was printed is given, whether it was added to the session or not. */
  async check({ printedBytes }: { readonly printedBytes: number }): Promise<Verdict> {
    seeFlow(this.#state, flowOf(this.#state, { bytes: printedBytes }));
    return this.#judge();
  }

  /** All that was used in this session so far, by every process. */
  async used(): Promise<Amounts> {
    return (await this.#state.book.read(this.#scopes()))[0]?.used ?? {};
  }

  /** How large the session is, through whomever it grew. */
  async size(): Promise<SessionSize> {
    return (await this.#state.recorder.size()) ?? NO_SIZE;
  }

  /** Counts the rest of the time. If the session was stopped, it has ended with the cause. Ending twice is the same as once. */
  async end(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    const { book, stopped } = this.#state;
    const wallMs = this.#time.take();
    const reservation = this.#aside.take();
    if (wallMs > 0) await book.add([this.#scopes().session], { wallMs });
    if (reservation !== undefined) await book.release(reservation);
    if (stopped !== undefined) await endStopped(this.#state, stopped);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
  }

  /** What one more step is judged by, and how it came out. */
  #stepJudge(size: SessionSize | undefined): StepJudge {
    const { rules, lastUse = FIRST_STEP } = this.#state;
    const grown = checkSize(rules.spend, size ?? NO_SIZE);
    const account = this.#scopes();
    const wallMs = this.#time.take();
    const instead = this.#aside.take();
    const amounts = this.#aside.amounts(lastUse);
    return judgeStep({ rules, account, amounts, wallMs, instead, grown, lastUse, guards: () => this.#guards() });
  }

  /** Keeps what was set aside for the step. A step that was not taken leaves everything as it was before. */
  async #taken({ wallMs, instead }: StepJudge, taken: Reservation | boolean): Promise<void> {
    if (taken === false) this.#time.giveBack(wallMs);
    const reservation = typeof taken === 'boolean' ? instead : taken;
    if (reservation === undefined) return;
    if (this.#ended) await this.#state.book.release(reservation);
    else await this.#aside.putBack(reservation, this.#state.book);
  }

  /** A stop by a guard is the whole cause, whatever else was wrong. */
  #remembered(judge: StepJudge): Verdict {
    remember(this.#state, judge.guarded());
    return remember(this.#state, judge.verdict());
  }

  async #guard(event: ToolEvent): Promise<Verdict> {
    await followGuard(this.#state, event);
    return remember(this.#state, this.#guards());
  }

  #guards(): Verdict {
    const { guards, rules, clock, stopped } = this.#state;
    return stopped ?? guardVerdict(guards, rules.guards, clock.now());
  }

  /** The verdict of everything as it is now. */
  async #judge(): Promise<Verdict> {
    const { book, rules, recorder } = this.#state;
    const guarded = remember(this.#state, this.#guards());
    const totals = await book.read(this.#scopes());
    await this.#state.tellShares?.(totals);
    const spent = checkSpend(rules.spend, totals, this.#time.uncountedMs());
    // Its store is asked each time: other processes may have added to the session.
    const grown = checkSize(rules.spend, (await recorder.size()) ?? NO_SIZE);
    return remember(this.#state, strictest([guarded, spent, grown]));
  }

  #scopes(): SpendScopes {
    const { scopesAt, clock, model } = this.#state;
    return scopesAt(clock.now(), model);
  }
}
