import type { Gateway } from '../../app/gateway/gateway.ts';
import type { SessionFacts } from '../../core/sessions/session.ts';

/**
 * Tells those who follow the events which sessions were started and which got messages. Appends that became durable together are one event for each
 * session: a flood does not push everything else out of the events that are kept.
 */
export class MessageNews {
  readonly #gateway: Pick<Gateway, 'publish'>;
  #added = new Map<string, { count: number; lastSeq: number }>();
  #told: Promise<void> | undefined;

  constructor(gateway: Pick<Gateway, 'publish'>) {
    this.#gateway = gateway;
  }

  /** Before anything can be told of its messages. */
  started(session: NewSession): Promise<void> {
    return this.#gateway.publish(startedEvent(session));
  }

  /** Resolves when it was told. */
  added(sessionId: string, count: number, lastSeq: number): Promise<void> {
    const known = this.#added.get(sessionId);
    if (known === undefined) this.#added.set(sessionId, { count, lastSeq });
    else {
      known.count += count;
      known.lastSeq = Math.max(known.lastSeq, lastSeq);
    }
    this.#told ??= this.#tell();
    return this.#told;
  }

  async #tell(): Promise<void> {
    // Whoever waited for the same commit goes on before this does.
    await Promise.resolve();
    const added = this.#added;
    this.#added = new Map();
    this.#told = undefined;
    for (const [sessionId, { count, lastSeq }] of added) {
      const message = `${count} added, up to number ${lastSeq}.`;
      await this.#gateway.publish({ kind: 'messages-added', sessionId, message, figures: { count, lastSeq } });
    }
  }
}

type NewSession = Pick<SessionFacts, 'id' | 'source'>;

/** That there is a session which answers no key. */
export function startedEvent({ id, source }: NewSession): Parameters<Gateway['publish']>[0] {
  return { kind: 'session-started', sessionId: id, message: `${source} has a new session.`, figures: { source } };
}
