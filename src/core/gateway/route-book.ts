import type { NewSession, SessionFacts } from '../sessions/session.ts';
import type { EpochMs } from '../time.ts';
import type { Once } from './once.ts';

/** An outside key, such as `telegram:42`, and the session that answers it now. */
export interface Route {
  readonly key: string;
  /** Absent when the session is in the trash: the next message starts another. */
  readonly session?: SessionFacts;
  /** When the key was last given to a session. */
  readonly movedAt: EpochMs;
}

export interface RouteQuery {
  /** Only keys whose session comes from there. One whose session was removed comes from nowhere. */
  readonly source?: string | undefined;
  /** Only keys that come after this one. */
  readonly after?: string | undefined;
}

/** What becomes of a key at a message. */
export type RouteChoice =
  | { readonly kind: 'keep' }
  /** The session ended by accident and goes on. */
  | { readonly kind: 'resume' }
  /** The old session ends, if there is one, and another answers from now on. */
  | { readonly kind: 'start'; readonly session: Omit<NewSession, 'routeKey'>; readonly endReason?: string };

/** What was chosen, and the session that answers from then on. */
export interface Settled<Choice extends RouteChoice> {
  readonly choice: Choice;
  readonly facts: SessionFacts;
}

/** Which session answers which key. A key never answers to two sessions, and never to one that nobody can see. */
export interface RouteBook {
  /** Asked at every message. */
  find(key: string): Promise<Route | undefined>;
  /**
   * Chooses and acts in one transaction: ending the old session, starting the new one and moving the key happen together or not
   * at all. `choose` is told what is true at that moment. Without a session there is nothing to keep or resume.
   */
  settle<Choice extends RouteChoice>(
    key: string,
    choose: (current: SessionFacts | undefined) => Choice,
    once?: Once,
  ): Promise<Settled<Choice>>;
  /**
   * Ends the session that answers a key if `reasonFor`, told what is true in that transaction, gives a reason. The key stays with it
   * until the next message. Undefined when nothing was ended.
   */
  end(
    key: string,
    reasonFor: (current: SessionFacts) => string | undefined,
    once?: Once,
  ): Promise<SessionFacts | undefined>;
  /** By key. */
  list(query?: RouteQuery): AsyncIterable<Route>;
  /** The ids of all sessions that a key names, in one look. Which of them would go on is for `goesOn` to say. */
  named(): Promise<ReadonlySet<string>>;
  /** Lets go of a key; its session stays. False when there is no such route. */
  forget(key: string): Promise<boolean>;
}
