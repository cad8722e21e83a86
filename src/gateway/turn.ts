import type { Amounts, Recorder, SpendBook, Verdict } from '../core/gateway.ts';
import type { JsonValue } from '../core/json.ts';
import { totalTokens } from '../core/session.ts';
import { type Clock, type EpochMs, MINUTE_MS } from '../core/time.ts';
import { checkSize, checkSpend, type SpendRule } from './check-spend.ts';
import { afterEvent, type GuardEvent, type GuardRules, type GuardState, guardVerdict } from './guards.ts';
import { type Prices, priceUsage } from './price-usage.ts';
import type { SpendScopes } from './spend-scopes.ts';
import { stopReason } from './stop-reason.ts';
import { forbids, strictest } from './strictest.ts';
import type { UsageEvent, UsageMeter } from './usage-meter.ts';
import { verdictOf } from './verdict-of.ts';

/** What a live session is judged by. */
export interface LiveRules {
  readonly spend: readonly SpendRule[];
  readonly guards: GuardRules;
  readonly prices: Prices;
}

/** What the turns of one session share. */
export interface LiveState {
  readonly book: SpendBook;
  readonly recorder: Recorder;
  readonly clock: Clock;
  readonly rules: LiveRules;
  readonly scopesAt: (at: EpochMs, model: string | undefined) => SpendScopes;
  readonly meter: UsageMeter;
  guards: GuardState;
  /** The model of the newest report, whose budget binds the next step. */
  model: string | undefined;
  /** Once a session was told to stop it is told nothing else. */
  stopped: Verdict | undefined;
}

export interface AddedMessage {
  readonly bytes: number;
  /** When it was said, where that is known. */
  readonly at?: EpochMs | undefined;
}

/** One stretch of work in a live session. Close it with `await using` or `end()`: a stop is recorded then. */
export class Turn implements AsyncDisposable {
  readonly #state: LiveState;
  /** Up to here the time of this turn is counted. */
  #countedAt: EpochMs;
  #ended = false;

  constructor(state: LiveState, workedMs: number) {
    this.#state = state;
    this.#countedAt = state.clock.now() - workedMs;
  }

  /** Asks for one more step. It is counted, in all processes at once, unless the verdict forbids it. */
  beforeIteration(): Verdict {
    const { book, rules } = this.#state;
    const wallMs = this.#uncountedMs();
    const besides = strictest([this.#guarded(), this.#grown()]);
    let verdict = besides;
    const counted = book.step({ account: this.#scopes(), wallMs }, (spent) => {
      verdict = strictest([besides, checkSpend(rules.spend, spent, wallMs)]);
      return !forbids(verdict);
    });
    if (counted) this.#countedAt += wallMs;
    return this.#remember(verdict);
  }

  /** Counts what a model call used, then records it; durable when the promise resolves. */
  async usage(event: UsageEvent): Promise<Verdict> {
    const { meter, rules, recorder } = this.#state;
    const delta = meter.take(event);
    const nanoUsd = priceUsage(delta, rules.prices);
    const { nanoUsd: _reported, ...used } = delta;
    const added = { ...used, costUsd: nanoUsd / 1e9 };
    const tokens = totalTokens(added);
    this.#state.model = event.model;
    if (tokens + nanoUsd + used.reasoningTokens > 0) {
      const { session, shared } = this.#scopes();
      this.#state.book.add([session, ...shared], { tokens, nanoUsd });
      this.#flow({ tokens });
      await recorder.usage(added);
    }
    const unpriced = tokens > 0 && delta.nanoUsd === undefined && !rules.prices.has(event.model);
    const blind = unpriced && rules.spend.some(({ counter }) => counter === 'nanoUsd');
    return blind ? strictest([this.#judge(), noPrice(tokens)]) : this.#judge();
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

  /** Counts the rest of the time and, if the session was stopped, ends it with the cause. Ending twice is the same as once. */
  async end(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    const { book, recorder, stopped } = this.#state;
    const wallMs = this.#uncountedMs();
    if (wallMs > 0) book.add([this.#scopes().session], { wallMs });
    if (stopped !== undefined) await recorder.end(stopReason(stopped));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
  }

  #guard(event: GuardEvent): Verdict {
    const state = this.#state;
    state.guards = afterEvent(state.guards, event);
    return this.#guarded();
  }

  #guarded(): Verdict {
    const { guards, rules, clock } = this.#state;
    return this.#remember(guardVerdict(guards, rules.guards, clock.now()));
  }

  #flow(amounts: Extract<GuardEvent, { kind: 'flow' }>['amounts']): void {
    const state = this.#state;
    state.guards = afterEvent(state.guards, { kind: 'flow', at: state.clock.now(), amounts });
  }

  /** The verdict of everything as it is now. */
  #judge(): Verdict {
    const { book, rules } = this.#state;
    const spent = checkSpend(rules.spend, book.read(this.#scopes()), this.#uncountedMs());
    return this.#remember(strictest([this.#guarded(), spent, this.#grown()]));
  }

  /** Its store is asked each time: other processes may have added to the session. */
  #grown(): Verdict {
    const { rules, recorder } = this.#state;
    return checkSize(rules.spend, recorder.size() ?? { messages: 0, bytes: 0 });
  }

  #remember(verdict: Verdict): Verdict {
    if (verdict.kind === 'stop') this.#state.stopped ??= verdict;
    return this.#state.stopped ?? verdict;
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

/** A limit in dollars cannot be kept while nobody says what the tokens cost. */
function noPrice(used: number): Verdict {
  return verdictOf('warn', { rule: 'no-price', scope: 'model', used, limit: 0 });
}
