import type { Verdict } from '../../core/gateway/gateway.ts';
import type { Once } from '../../core/gateway/once.ts';
import type { SpendBook, UsageNote } from '../../core/gateway/spend-book.ts';
import type { SessionFacts, UsageReport } from '../../core/sessions/session.ts';
import type { Clock } from '../../core/time.ts';
import { LiveSession } from '../../gateway/live-session.ts';
import type { LiveRules } from '../../gateway/live-state.ts';
import type { UsedShare } from '../../gateway/spend/share-teller.ts';
import type { HomeParts } from '../home-parts.ts';
import { usedBefore } from './budgets.ts';
import { type GatewayRules, gatewayRules } from './gateway-rules.ts';
import { takesUsage } from './late-usage.ts';

/** By what usage is known that is counted already. */
interface Noted {
  readonly note: UsageNote;
  readonly once: Once | undefined;
}

/** More sessions than this are not followed at once; the one that was asked for longest ago is forgotten first. */
const MOST = 10_000;

export interface LiveSessionsParts extends Pick<HomeParts, 'store' | 'config'> {
  readonly clock: Clock;
  readonly book: SpendBook;
  /** Told when a verdict has ended a session. */
  readonly onStop: (id: string, verdict: Verdict) => void;
  /** Told when a set share of a limit is used. */
  readonly onShare: (id: string, share: UsedShare) => void;
}

/** The sessions at work in this process, each followed once, and the rules they are judged by. */
export class LiveSessions {
  readonly #parts: LiveSessionsParts;
  readonly #live = new Map<string, Promise<LiveSession>>();
  readonly #rules = new Map<string, GatewayRules>();
  /** Ids of usage that nobody will come with again. The store forgets them with the next. */
  readonly #settled: string[] = [];

  constructor(parts: LiveSessionsParts) {
    this.#parts = parts;
  }

  rulesFor(source: string): GatewayRules {
    const known = this.#rules.get(source) ?? gatewayRules(this.#parts.config, source);
    this.#rules.set(source, known);
    return known;
  }

  /** The one that follows this session. With rules of its own, such as the limits of one run, it is followed anew. */
  follow(facts: SessionFacts, own?: LiveRules): Promise<LiveSession> {
    const { id } = facts;
    const live = (own === undefined ? this.followed(id) : undefined) ?? this.#begin(facts, own);
    this.#use(id, live);
    // Whoever asks next tries again.
    live.catch(() => this.#live.get(id) === live && this.#live.delete(id));
    const [oldest] = this.#live.keys();
    if (this.#live.size > MOST && oldest !== undefined) this.#live.delete(oldest);
    return live;
  }

  /** The one that follows this session already. */
  followed(id: string): Promise<LiveSession> | undefined {
    const live = this.#live.get(id);
    if (live !== undefined) this.#use(id, live);
    return live;
  }

  forget(id: string): void {
    this.#live.delete(id);
  }

  /** Set again, so that the map is in the order of use. */
  #use(id: string, live: Promise<LiveSession>): void {
    this.#live.delete(id);
    this.#live.set(id, live);
  }

  /** The note in the book goes when the store has it. Where it never will, because the session is gone, the book alone knows. */
  async #record(id: string, added: UsageReport, { note, once }: Noted): Promise<void> {
    const { store, book } = this.#parts;
    const forget = this.#settled.splice(0);
    try {
      await store.recordUsage(id, added, { once: note.id, forget, ...(once && { request: once }) });
    } catch (error) {
      if (!(await takesUsage(store, id))) await book.recorded(note);
      throw error;
    }
    await book.recorded(note);
    this.#settled.push(note.id);
  }

  #begin(facts: SessionFacts, own: LiveRules | undefined): Promise<LiveSession> {
    const { store, book, clock, onStop } = this.#parts;
    const { id, source, model } = facts;
    const { live, budgetOffsetAt: offsetAt } = this.rulesFor(source);
    return LiveSession.follow({
      id,
      source,
      ...(model !== undefined && { model }),
      usedBefore: usedBefore(facts),
      rules: own ?? live,
      offsetAt,
      book,
      recorder: {
        size: () => store.sizeOf(id),
        usage: (added, note, once) => this.#record(id, added, { note, once }),
        end: async (reason, verdict) => {
          await store.end(id, reason);
          await book.keep({ sessionId: id, change: () => undefined });
          // Whoever takes it up again does so on purpose, and begins without what led to the stop.
          const wasFollowed = this.#live.delete(id);
          if (wasFollowed) onStop(id, verdict);
        },
      },
      isSupervised: own !== undefined,
      onShare: (share) => this.#parts.onShare(id, share),
      clock,
    });
  }
}
