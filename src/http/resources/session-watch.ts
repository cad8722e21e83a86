import type { Gateway } from '../../app/gateway/gateway.ts';
import type { Sessions } from '../../app/sessions/sessions.ts';
import { errorText } from '../../core/error-text.ts';
import type { SessionFacts } from '../../core/sessions/session.ts';
import { type Clock, SECOND_MS } from '../../core/time.ts';
import { startedEvent } from './message-news.ts';

export interface SessionWatchParts {
  readonly sessions: Pick<Sessions, 'list' | 'get'>;
  readonly gateway: Pick<Gateway, 'events' | 'publish'>;
  readonly clock: Clock;
  /** Whether this daemon tells by itself which messages a session gets. */
  readonly isTold: (id: string) => boolean;
  /** One line for the log. */
  readonly say: (line: string) => void;
}

const LOOK_MS = SECOND_MS;
/** Whoever writes may be a little late with it. */
const RECENT_MS = 10 * SECOND_MS;
/** More sessions than this are not watched at once; those used last come first. */
const MOST = 500;

const ENDS: ReadonlySet<string> = new Set(['session-stopped', 'session-reset', 'session-ended']);

interface Seen {
  readonly messages: number;
  readonly open: boolean;
  /** It was told that there is such a session. */
  readonly known: boolean;
}

/**
 * Tells what other processes do to sessions: that one was started, got messages, ended or was stopped. They tell nobody, so it is
 * read from the store, which every process of the home shares, once in a second and only while somebody follows.
 */
export function watchSessions(parts: SessionWatchParts): Disposable {
  const over = new AbortController();
  const watch = new SessionWatch(parts);
  const look = async (first: boolean): Promise<void> => {
    try {
      await watch.look(first);
    } catch (error) {
      if (!over.signal.aborted) parts.say(`What other processes do could not be seen: ${errorText(error)}`);
    } finally {
      looking = undefined;
    }
  };
  let looking: Promise<void> | undefined = look(true);
  const timer = setInterval(() => void (looking ??= look(false)), LOOK_MS).unref();
  void watch.heed(over.signal);
  return {
    [Symbol.dispose]() {
      clearInterval(timer);
      over.abort();
    },
  };
}

class SessionWatch {
  readonly #parts: SessionWatchParts;
  readonly #seen = new Map<string, Seen>();
  /** Sessions that the last look met first. */
  #fresh: ReadonlySet<string> = new Set();

  constructor(parts: SessionWatchParts) {
    this.#parts = parts;
  }

  /** What this process has told already is not told again. */
  async heed(signal: AbortSignal): Promise<void> {
    for await (const { kind, sessionId, figures } of this.#parts.gateway.events({ signal })) {
      if (sessionId === undefined) continue;
      const { lastSeq, previousId } = figures ?? {};
      const messages = typeof lastSeq === 'number' ? lastSeq : 0;
      this.#note(sessionId, { messages, known: kind.startsWith('session-') });
      // A fresh start names the session that goes on, and the one that it comes after.
      if (typeof previousId === 'string') this.#note(previousId, { open: false });
      else if (ENDS.has(kind)) this.#note(sessionId, { open: false });
    }
  }

  #note(id: string, { messages = 0, open = true, known = true }: Partial<Seen>): void {
    const before = this.#seen.get(id) ?? { messages: 0, open: true, known: false };
    this.#seen.set(id, {
      messages: Math.max(before.messages, messages),
      open: before.open && open,
      known: before.known || known,
    });
  }

  /** Compares the store with what was seen of it. The first look only remembers. */
  async look(first: boolean): Promise<void> {
    const { sessions, clock } = this.#parts;
    const found = new Map<string, SessionFacts>();
    const queries = [{ open: true as const }, { since: clock.now() - RECENT_MS }];
    for (const query of queries)
      for await (const facts of sessions.list({ ...query, limit: MOST })) found.set(facts.id, facts);
    // Those that were open and are not among them have ended, or are gone.
    for (const [id, { open }] of this.#seen) {
      if (!open || found.has(id)) continue;
      const facts = await sessions.get(id);
      if (facts === undefined) this.#seen.delete(id);
      else found.set(id, facts);
    }
    const fresh = new Set<string>();
    for (const facts of found.values()) {
      if (!first && this.#isFresh(facts.id)) {
        fresh.add(facts.id);
        continue;
      }
      if (!first) await this.#tell(facts);
      this.#seen.set(facts.id, { messages: facts.messageCount, open: facts.endedAt === undefined, known: true });
    }
    this.#fresh = fresh;
    for (const [id, { open }] of this.#seen) if (!open && !found.has(id)) this.#seen.delete(id);
  }

  /** What this daemon has just started is in the store before it is told, so nothing is said of a session at first sight. */
  #isFresh(id: string): boolean {
    return this.#seen.get(id)?.known !== true && !this.#fresh.has(id);
  }

  async #tell(facts: SessionFacts): Promise<void> {
    const { gateway, isTold } = this.#parts;
    const { id: sessionId, messageCount, endedAt, endReason = '' } = facts;
    const before = this.#seen.get(sessionId);
    if (before?.known !== true) await gateway.publish(startedEvent(facts));
    const count = messageCount - (before?.messages ?? 0);
    if (count > 0 && !isTold(sessionId)) {
      const figures = { count, lastSeq: messageCount };
      await gateway.publish({ kind: 'messages-added', sessionId, message: `${count} added.`, figures });
    }
    if (endedAt === undefined || before?.open === false) return;
    const kind = /^(budget|guard):/.test(endReason) ? 'session-stopped' : 'session-ended';
    await gateway.publish({ kind, sessionId, message: `It ended: ${endReason}.`, figures: { reason: endReason } });
  }
}
