import type { Amounts, Verdict } from '../core/gateway/gateway.ts';
import type { Recorder } from '../core/gateway/recorder.ts';
import type { SpendBook } from '../core/gateway/spend-book.ts';
import type { SessionSize } from '../core/sessions/session.ts';
import type { Clock } from '../core/time.ts';
import { mostSize } from './spend/check-spend.ts';
import { NOTHING_GUARDED, takenUp } from './guards.ts';
import { keptGuardsText, readKeptGuards } from './kept-guards-text.ts';
import type { AddedMessage, LiveRules, LiveState, TurnStart } from './live-state.ts';
import { createShareTeller, type UsedShare } from './spend/share-teller.ts';
import { createSpendScopes } from './spend/spend-scopes.ts';
import { endReason } from './stop-reason.ts';
import { forbids } from './strictest.ts';
import { Turn } from './turn.ts';
import { createUsageMeter } from './spend/usage-meter.ts';
import type { ZoneOffset } from './zone-offset.ts';

export interface LiveSessionParts {
  readonly id: string;
  readonly source: string;
  readonly model?: string;
  /** What the session store knows to be used already; counts if the book has forgotten the session, or never knew it. */
  readonly usedBefore: Amounts;
  readonly rules: LiveRules;
  /** The time zone in which the days of budgets begin. */
  readonly offsetAt: ZoneOffset;
  readonly book: SpendBook;
  readonly recorder: Recorder;
  readonly clock: Clock;
  /** Whoever started its agent lets it say its last words and ends the session then. Otherwise it ends with the verdict. */
  readonly isSupervised?: boolean;
  /** Told when a set share of a limit is used, once for all processes. */
  readonly onShare?: ((share: UsedShare) => void) | undefined;
}

/** A session at work. Usage reports are followed in this process; what it spends and its streaks are shared by all. */
export class LiveSession {
  readonly id: string;
  /** When it is as large as this, it takes no more. */
  readonly within: SessionSize;
  readonly #state: LiveState;

  private constructor(parts: LiveSessionParts) {
    const { id, source, offsetAt, rules, book, recorder, clock } = parts;
    const scopesAt = createSpendScopes({ sessionId: id, source, offsetAt, rules: rules.spend });
    this.id = id;
    this.within = mostSize(rules.spend);
    this.#state = {
      book,
      recorder,
      clock,
      rules,
      scopesAt,
      meter: createUsageMeter(),
      tellShares: parts.onShare && createShareTeller({ book, rules, tell: parts.onShare }),
      lastUse: undefined,
      sessionId: id,
      guards: NOTHING_GUARDED,
      keptText: undefined,
      model: parts.model,
      unpriced: new Set(),
      isSupervised: parts.isSupervised ?? false,
      stopped: undefined,
      ending: undefined,
    };
  }

  /** Begins to follow a session, where it was. */
  static async follow(parts: LiveSessionParts): Promise<LiveSession> {
    const live = new LiveSession(parts);
    const { book, scopesAt, clock } = live.#state;
    await book.begin(scopesAt(clock.now(), parts.model).session, parts.usedBefore);
    await live.#takeUp();
    return live;
  }

  /** Goes on with the streaks of an earlier process. */
  #takeUp(): Promise<void> {
    const state = this.#state;
    const change = (text: string | undefined): string | undefined => {
      if (text === undefined) return undefined;
      state.guards = takenUp(readKeptGuards(text));
      state.keptText = keptGuardsText(state.guards.kept);
      return state.keptText;
    };
    return state.book.keep({ sessionId: this.id, change });
  }

  /** Starts a stretch of work, or goes on with one that has lasted so long already; several may run side by side. */
  beginTurn(start: TurnStart = {}): Turn {
    return new Turn(this.#state, start);
  }

  /**
   * Judges what was added by somebody who may not heed the verdict: where it forbids the next step the session has ended when the
   * promise resolves, and these messages were its last.
   */
  async added(messages: readonly AddedMessage[]): Promise<Verdict> {
    await using turn = this.beginTurn();
    const verdict = await turn.messages(messages);
    const { recorder, isSupervised } = this.#state;
    // Every time: somebody may have opened it again meanwhile.
    if (forbids(verdict) && !isSupervised) await recorder.end(endReason(verdict), verdict);
    return verdict;
  }
}
