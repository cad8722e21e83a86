import type { Verdict } from '../../core/gateway/gateway.ts';
import { contentBytes, type NewMessage } from '../../core/sessions/message.ts';
import type { SessionFacts } from '../../core/sessions/session.ts';
import type { AppendOptions, AppendReceipt } from '../../core/stores/session-writer.ts';
import type { LiveSession } from '../../gateway/live-session.ts';
import type { AddedMessage } from '../../gateway/live-state.ts';
import type { Turn } from '../../gateway/turn.ts';
import type { HomeParts } from '../home-parts.ts';
import type { Session } from '../sessions/session.ts';

/** How a key came to its session: `reset` says why another had to end. */
export type Resolution =
  | { readonly kind: 'created' | 'continued' | 'resumed' }
  | { readonly kind: 'reset'; readonly reason: string; readonly previousId: string };

/** What was stored, and whether the session may go on. */
export type JudgedReceipt = AppendReceipt & { readonly verdict: Verdict };

/** Where messages go, and who looks after the home when any came. */
export type AppendParts = Pick<HomeParts, 'store' | 'upkeep'>;

export interface GatewaySessionParts {
  readonly home: AppendParts;
  readonly facts: SessionFacts;
  readonly session: Session;
  readonly live: LiveSession;
  readonly resolution: Resolution;
}

/** The session that answers a key now, with everything a gateway does to it. */
export class GatewaySession {
  readonly id: string;
  readonly resolution: Resolution;
  /** What was known when it was resolved. */
  readonly facts: SessionFacts;
  /** For everything else: messages, usage, dumps, marks. */
  readonly session: Session;
  readonly #live: LiveSession;
  readonly #home: AppendParts;

  constructor({ home, facts, session, live, resolution }: GatewaySessionParts) {
    this.#home = home;
    this.id = facts.id;
    this.facts = facts;
    this.session = session;
    this.resolution = resolution;
    this.#live = live;
  }

  /**
   * Starts a stretch of work, whose steps are judged before they are taken. Several may go on side by side. Time that was worked
   * already and not counted is given.
   */
  beginTurn(workedMs = 0): Turn {
    return this.#live.beginTurn({ workedMs });
  }

  /**
   * Adds a message and counts it. The verdict says whether the session may go on. After `reset` and `stop` it has ended: this message
   * was the last, and the next is refused, in every process. At `reset`, resolve the key again.
   */
  append(message: NewMessage): Promise<JudgedReceipt> {
    return appendLive(this.#home, this.#live, { messages: [message] });
  }
}

/** Messages to add, and the number of the message after which they must come where that matters. */
export interface Added extends Pick<AppendOptions, 'expectedSeq' | 'once'> {
  readonly messages: readonly NewMessage[];
}

/**
 * Adds messages to a live session, all or none. A session that has reached its limit refuses them; what takes it there is kept and is
 * the last.
 */
export async function appendLive(
  { store, upkeep }: AppendParts,
  live: LiveSession,
  { messages, ...options }: Added,
): Promise<JudgedReceipt> {
  const receipt = await store.append(live.id, messages, { within: live.within, ...options });
  upkeep?.wrote();
  // What was counted before is only judged.
  const counted = options.once?.isKnown === true ? [] : messages;
  return { ...receipt, verdict: await live.added(counted.map(addedMessage)) };
}

/** What limits and guards look at. */
function addedMessage(message: NewMessage): AddedMessage {
  return { bytes: contentBytes(message), at: message.at };
}
