import type { Reserved, Spend, Verdict } from '../core/gateway/gateway.ts';
import type { Recorder } from '../core/gateway/recorder.ts';
import type { Reservation, SpendBook } from '../core/gateway/spend-book.ts';
import type { Clock, EpochMs } from '../core/time.ts';
import type { SpendRule } from './spend/check-spend.ts';
import type { GuardRules, GuardState } from './guards.ts';
import type { HeldAhead } from './spend/held-ahead.ts';
import type { Prices } from './spend/price-usage.ts';
import type { SpendScopes } from './spend/spend-scopes.ts';
import type { UsageMeter } from './spend/usage-meter.ts';

/** What a live session is judged by. */
export interface LiveRules {
  readonly spend: readonly SpendRule[];
  readonly guards: GuardRules;
  readonly prices: Prices;
  /** Whether a limit in dollars stops what uses a model whose price is not known. Otherwise that is only said. */
  readonly requirePrices?: boolean;
  /** The shares of a limit, in percent, at which somebody is told. */
  readonly alertPercents?: readonly number[];
}

/** What the turns of one session share. */
export interface LiveState {
  readonly sessionId: string;
  readonly book: SpendBook;
  readonly recorder: Recorder;
  readonly clock: Clock;
  readonly rules: LiveRules;
  readonly scopesAt: (at: EpochMs, model: string | undefined) => SpendScopes;
  readonly meter: UsageMeter;
  /** Told once, by whichever process gets there, that so much of a limit is used. */
  readonly tellShares: ((spent: readonly Spend[]) => Promise<void>) | undefined;
  /** What the newest report used: the next step is expected to need as much. */
  lastUse: Reserved | undefined;
  guards: GuardState;
  /** What of them was written down last. */
  keptText: string | undefined;
  /** The model of the newest report, whose budget binds the next step. */
  model: string | undefined;
  /** Models that were used and have no price. */
  readonly unpriced: Set<string>;
  readonly isSupervised: boolean;
  /** Once a session was told to stop it is told nothing else. */
  stopped: Verdict | undefined;
  /** Its end, which begins with the verdict. */
  ending: Promise<void> | undefined;
}

export interface AddedMessage {
  readonly bytes: number;
  /** When it was said, where that is known. */
  readonly at?: EpochMs | undefined;
}

export interface TurnStart {
  /** Time that was worked already and not counted. */
  readonly workedMs?: number;
  /** What was set aside for its first step. */
  readonly reservation?: Reservation | undefined;
  /** What stays set aside between its reports; nothing when absent. */
  readonly ahead?: HeldAhead | undefined;
}

export interface JudgedCall {
  readonly verdict: Verdict;
  /** Absent when the call is forbidden. */
  readonly reservation?: Reservation;
  /** Forbidden only because of what calls under way have set aside. */
  readonly crowded: boolean;
}
