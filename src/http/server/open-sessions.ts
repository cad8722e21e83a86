import { setImmediate } from 'node:timers/promises';
import type { Session } from '../../app/sessions/session.ts';
import type { Sessions } from '../../app/sessions/sessions.ts';
import { Failure } from '../../core/failure.ts';
import type { SessionFacts } from '../../core/sessions/session.ts';
import { type Clock, type EpochMs, MINUTE_MS, SECOND_MS } from '../../core/time.ts';

/** A session that no request was about for this long is given up, so that it does not count as in use for ever. */
const IDLE_MS = 10 * MINUTE_MS;
/** Long enough for what a request wrote to be told of. */
const TOLD_MS = 5 * SECOND_MS;

interface OpenSession {
  readonly session: Session;
  readonly isAnswering: boolean;
  usedAt: EpochMs;
}

/** The sessions that clients write to. The daemon claims them in their name, and lets go of those that nobody uses. */
export class OpenSessions {
  readonly #sessions: Pick<Sessions, 'open'>;
  readonly #clock: Clock;
  readonly #open = new Map<string, OpenSession>();
  #turn: Promise<void> | undefined;

  constructor(sessions: Pick<Sessions, 'open'>, clock: Clock) {
    this.#sessions = sessions;
    this.#clock = clock;
  }

  /**
   * A handle for writing. Whether the session is still there, the write itself says. Requests that come in one turn of the
   * event loop get theirs together: what they write then shares one wait for the disk.
   */
  async open(id: string): Promise<Session> {
    await this.#gathered();
    const known = this.#open.get(id);
    if (known === undefined) {
      const session = await this.#sessions.open(id);
      return this.use(session, await session.facts());
    }
    known.usedAt = this.#clock.now();
    return known.session;
  }

  /** Says that a client has this session now. */
  use(session: Session, { routeKey }: Pick<SessionFacts, 'routeKey'>): Session {
    this.#open.set(session.id, { session, isAnswering: routeKey !== undefined, usedAt: this.#clock.now() });
    return session;
  }

  /** Whether a session answers a key, and so must not grow beyond its limits. Others are as long as their clients like. */
  isAnswering(id: string): boolean {
    return this.#open.get(id)?.isAnswering === true;
  }

  /** Whether a client of this daemon used it a moment ago, so that what it gets is told here. */
  readonly isTold = (id: string): boolean => {
    const usedAt = this.#open.get(id)?.usedAt;
    return usedAt !== undefined && this.#clock.now() - usedAt < TOLD_MS;
  };

  #gathered(): Promise<void> {
    this.#turn ??= this.#nextTurn();
    return this.#turn;
  }

  async #nextTurn(): Promise<void> {
    await setImmediate();
    this.#turn = undefined;
  }

  /** Lets go of what was not used lately. */
  async releaseIdle(): Promise<void> {
    const now = this.#clock.now();
    for (const [id, { session, usedAt }] of this.#open) {
      if (now - usedAt < IDLE_MS) continue;
      await session.release().catch(unlessGone);
      // What could not be let go of is tried again the next time.
      this.#open.delete(id);
    }
  }
}

/** A session that was removed meanwhile is nobody's any more. */
function unlessGone(error: unknown): void {
  if (!(error instanceof Failure) || error.code !== 'not-found') throw error;
}
