import type { Verdict } from '../../core/gateway.ts';
import { contentBytes, type NewMessage } from '../../core/message.ts';
import type { SessionFacts } from '../../core/session.ts';
import type { AppendReceipt } from '../../core/session-store.ts';
import type { LiveSession } from '../../gateway/live-session.ts';
import type { AddedMessage, Turn } from '../../gateway/turn.ts';
import type { Session } from '../sessions/session.ts';

/** How a key came to its session: `reset` says why another had to end. */
export type Resolution =
  | { readonly kind: 'created' | 'continued' | 'resumed' }
  | { readonly kind: 'reset'; readonly reason: string; readonly previousId: string };

export interface GatewaySessionParts {
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

  constructor({ facts, session, live, resolution }: GatewaySessionParts) {
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
    return this.#live.beginTurn(workedMs);
  }

  /** Adds a message and counts it. The verdict says whether the session may go on. */
  async append(message: NewMessage): Promise<AppendReceipt & { readonly verdict: Verdict }> {
    const receipt = await this.session.append(message);
    const verdict = this.#live.beginTurn().message(addedMessage(message));
    return { ...receipt, verdict };
  }
}

/** What limits and guards look at. */
export function addedMessage(message: NewMessage): AddedMessage {
  return { bytes: contentBytes(message), at: message.at };
}
