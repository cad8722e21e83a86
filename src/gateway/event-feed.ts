import type { FeedKind } from '../core/gateway/feed-kinds.ts';
import type { JsonValue } from '../core/json.ts';
import type { Clock, EpochMs } from '../core/time.ts';

/** Something that happened, as subscribers are told. */
export interface FeedEvent {
  /** Grows by one with every event of this process. */
  readonly id: number;
  readonly at: EpochMs;
  readonly kind: FeedKind;
  readonly sessionId?: string;
  /** One sentence for a person. */
  readonly message: string;
  /** What the sentence says in numbers and words, for programs. */
  readonly figures?: Readonly<Record<string, JsonValue>>;
}

/** What happens in one process, in order. A bounded number of events is kept for those who come back. */
export interface EventFeed {
  publish(event: Omit<FeedEvent, 'id' | 'at'>): void;
  /** Events after `after`, then new ones as they come, until the signal says stop. Without `after`, only new ones. */
  follow(options: { readonly after?: number; readonly signal: AbortSignal }): AsyncGenerator<FeedEvent>;
}

const KEPT = 2000;

export function createEventFeed(clock: Clock): EventFeed {
  const kept: FeedEvent[] = [];
  const waiting = new Set<() => void>();
  let lastId = 0;

  const since = (after: number): readonly FeedEvent[] => {
    const first = kept[0]?.id ?? lastId + 1;
    const events = kept.slice(Math.max(0, after + 1 - first));
    const lost = after + 1 < first;
    return lost ? [gap(first - 1, clock.now()), ...events] : events;
  };

  return {
    publish(event) {
      lastId += 1;
      kept.push({ id: lastId, at: clock.now(), ...event });
      if (kept.length > KEPT) kept.shift();
      for (const wake of waiting) wake();
      waiting.clear();
    },
    async *follow({ after, signal }) {
      // An id that this process has not given yet is from before a restart: everything that is kept is new to its owner.
      let seen = after === undefined ? lastId : after > lastId ? 0 : after;
      while (!signal.aborted) {
        const events = since(seen);
        for (const event of events) {
          if (signal.aborted) return;
          yield event;
        }
        seen = events.at(-1)?.id ?? seen;
        if (seen === lastId) await nextEvent(waiting, signal);
      }
    },
  };
}

function nextEvent(waiting: Set<() => void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      waiting.delete(wake);
      signal.removeEventListener('abort', wake);
      resolve();
    };
    if (signal.aborted) return wake();
    waiting.add(wake);
    signal.addEventListener('abort', wake, { once: true });
  });
}

function gap(id: number, at: EpochMs): FeedEvent {
  return { id, at, kind: 'gap', message: 'Earlier events are no longer kept.' };
}
