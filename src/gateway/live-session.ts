import type { Amounts, Recorder, SpendBook } from '../core/gateway.ts';
import type { Clock } from '../core/time.ts';
import { NOTHING_GUARDED } from './guards.ts';
import { createSpendScopes } from './spend-scopes.ts';
import { type LiveRules, type LiveState, Turn } from './turn.ts';
import { createUsageMeter } from './usage-meter.ts';
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
}

/** A session at work. Guards and usage reports are followed in this process; what it spends is shared by all. */
export class LiveSession {
  readonly id: string;
  readonly #state: LiveState;

  constructor(parts: LiveSessionParts) {
    const { id, source, offsetAt, rules, book, recorder, clock } = parts;
    const scopesAt = createSpendScopes({ sessionId: id, source, offsetAt, rules: rules.spend });
    this.id = id;
    this.#state = {
      book,
      recorder,
      clock,
      rules,
      scopesAt,
      meter: createUsageMeter(),
      guards: NOTHING_GUARDED,
      model: parts.model,
      stopped: undefined,
    };
    book.begin(scopesAt(clock.now(), parts.model).session, parts.usedBefore);
  }

  /** Starts a stretch of work, or goes on with one that has lasted so long already; several may run side by side. */
  beginTurn(workedMs = 0): Turn {
    return new Turn(this.#state, workedMs);
  }
}
