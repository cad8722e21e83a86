import { Failure } from '../../core/failure.ts';
import type { Reserved, Scope, Spend, Verdict } from '../../core/gateway/gateway.ts';
import type { Once } from '../../core/gateway/once.ts';
import type { RouteChoice } from '../../core/gateway/route-book.ts';
import type { SpendBook } from '../../core/gateway/spend-book.ts';
import type { JsonValue } from '../../core/json.ts';
import { checkRouteKey, noSuchSession } from '../../core/sessions/check-session.ts';
import { goesOn } from '../../core/sessions/in-use.ts';
import { type NewSession, type SessionFacts, sessionBytes } from '../../core/sessions/session.ts';
import { DAY_MS, type EpochMs } from '../../core/time.ts';
import { decideReset, type ResetDecision } from '../../gateway/decide-reset.ts';
import { createEventFeed, type EventFeed } from '../../gateway/event-feed.ts';
import { priceOf } from '../../gateway/spend/price-usage.ts';
import { factsOf } from '../../gateway/verdict-of.ts';
import { judgeClock } from '../../keeping/liveness/clock-watch.ts';
import { openSpendBook } from '../../store/sqlite/gateway/spend-book.ts';
import type { HomeParts } from '../home-parts.ts';
import { sessionHandle } from '../sessions/session-handle.ts';
import { BudgetAlerts } from './budget-alerts.ts';
import { Budgets } from './budgets.ts';
import { type Added, appendLive, GatewaySession, type JudgedReceipt, type Resolution } from './gateway-session.ts';
import { recordLateUsage } from './late-usage.ts';
import { LiveSessions } from './live-sessions.ts';
import { busySince } from './recorded-runs.ts';

/** Totals that nothing was added to for so long are forgotten; what was used stays in the sessions and the ledger. */
const SPEND_KEPT_MS = 90 * DAY_MS;

export interface ResolveRequest extends Pick<NewSession, 'source' | 'workdir' | 'model' | 'title'> {
  /** Who is talking: `telegram:42`, `cli:/repo`. */
  readonly key: string;
}

interface Circumstances {
  /** Since when runs under watch are at work, by the ids of their sessions. */
  readonly running: ReadonlyMap<string, EpochMs>;
  readonly clockInDoubt: boolean;
}

/** The live runtime of a home: which session answers whom, what it may still use, and what happens. */
export class LiveGateway implements Disposable {
  readonly events: EventFeed;
  readonly live: LiveSessions;
  readonly budgets: Budgets;
  readonly book: SpendBook;
  readonly alerts: BudgetAlerts;
  readonly #parts: HomeParts;
  /** How many works of this process go on in the background of a session, and since when without a break: a reset waits for them. */
  readonly #background = new Map<string, { readonly since: EpochMs; works: number }>();

  constructor(parts: HomeParts) {
    this.#parts = parts;
    this.book = openSpendBook({ path: parts.layout.live, clock: parts.clock, onlyRead: parts.onlyRead });
    this.events = createEventFeed(parts.clock);
    this.alerts = new BudgetAlerts({ ...parts, events: this.events });
    this.live = new LiveSessions({
      ...parts,
      book: this.book,
      onStop: (id, verdict) => this.#tellStop(id, verdict),
      onShare: (sessionId, share) => this.alerts.tell(sessionId, share),
    });
    this.budgets = new Budgets({ ...parts, book: this.book, rulesFor: (source) => this.live.rulesFor(source) });
  }

  /** Forgets totals that nothing was added to for long. */
  forgetOldSpend(): Promise<void> {
    return this.book.dropBefore(this.#parts.clock.now() - SPEND_KEPT_MS);
  }

  /** The session that answers this key: the one of before, taken up again, or a new one where the rules say so. */
  async resolve(request: ResolveRequest, once?: Once): Promise<GatewaySession> {
    checkRouteKey(request.key);
    const current = (await this.#parts.store.routes.find(request.key))?.session;
    // To go on changes nothing, and so leaves nothing behind that must not be done twice.
    if (once?.isKnown !== true && current !== undefined && this.#decide(current).kind === 'continue') {
      return this.#handle(current, { kind: 'continued' });
    }
    const circumstances = await this.#circumstances();
    const choose = (now: SessionFacts | undefined) => this.#choose(request, now, circumstances);
    const { facts, choice } = await this.#parts.store.routes.settle(request.key, choose, once);
    this.#parts.upkeep?.wrote();
    const { resolution } = choice;
    if (once?.isKnown !== true) this.#tell(facts, resolution);
    return this.#handle(facts, resolution);
  }

  /** A session by its id, whether it answers a key or not. */
  async open(id: string): Promise<GatewaySession> {
    return this.#handle(await this.#existing(id), { kind: 'continued' });
  }

  /** Ends the session that answers a key; the next message starts another. Its files follow the rules. */
  async reset(key: string, reason = 'reset: asked for', once?: Once): Promise<SessionFacts> {
    const { routes } = this.#parts.store;
    if (once?.isKnown !== true && (await routes.find(key))?.session === undefined) throw noSuchRoute(key);
    const ended = await routes.end(key, () => reason, once);
    if (ended === undefined) throw noSuchRoute(key);
    if (once?.isKnown !== true) this.#tellReset(key, ended.id, reason);
    return ended;
  }

  /** Ends what is due for a reset although nobody talks to it. Returns the keys. */
  async resetIdle(signal?: AbortSignal): Promise<readonly string[]> {
    const { routes } = this.#parts.store;
    const circumstances = await this.#circumstances();
    const reasonFor = (session: SessionFacts): string | undefined => {
      const decision = goesOn(session) ? this.#decide(session, circumstances) : undefined;
      return decision?.kind === 'reset' ? `reset: ${decision.reason}` : undefined;
    };
    const keys: string[] = [];
    for await (const { key, session } of routes.list()) {
      signal?.throwIfAborted();
      if (session === undefined || reasonFor(session) === undefined) continue;
      // Asked again inside the transaction: a message may have come since the list was read.
      const ended = await routes.end(key, reasonFor);
      if (ended === undefined) continue;
      this.#tellReset(key, ended.id, ended.endReason ?? '');
      keys.push(key);
    }
    return keys;
  }

  /** Says that work goes on in the background of a session until what is returned is disposed of. */
  background(sessionId: string): Disposable {
    const going = this.#background.get(sessionId) ?? { since: this.#parts.clock.now(), works: 0 };
    this.#background.set(sessionId, going);
    going.works += 1;
    let over = false;
    return {
      [Symbol.dispose]: () => {
        if (over) return;
        over = true;
        going.works -= 1;
        if (going.works === 0) this.#background.delete(sessionId);
      },
    };
  }

  /** Adds messages to a session by its id, all or none, and counts them. One that is then told to reset or stop has ended. */
  async append(id: string, added: Added): Promise<JudgedReceipt> {
    const live = await (this.live.followed(id) ?? this.live.follow(await this.#existing(id)));
    return appendLive(this.#parts, live, added);
  }

  /** Ends what processes that have died left in the books. What the disk or a lock refuses is left to the next who tries. */
  async settleDead(): Promise<void> {
    try {
      for (const { sessionId, tokens, nanoUsd } of await recordLateUsage(this.book, this.#parts.store)) {
        const message = lateCallSentence({ tokens, nanoUsd });
        this.events.publish({ kind: 'warning', sessionId, message, figures: { tokens, costUsd: nanoUsd / 1e9 } });
      }
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
    }
  }

  /** What was used, by what it counts towards, newest first. */
  async spend(scope: Scope): Promise<readonly Spend[]> {
    const spent = await this.book.list(scope);
    if (scope !== 'model') return spent;
    const { prices } = this.live.rulesFor('').live;
    // One whose cost was reported has a price, whoever knows it.
    return spent.map((spend) => {
      const { tokens, nanoUsd } = spend.used;
      const unpriced = tokens > 0 && nanoUsd === 0 && priceOf(spend.key, prices) === undefined;
      return unpriced ? { ...spend, unpriced } : spend;
    });
  }

  [Symbol.dispose](): void {
    this.book[Symbol.dispose]();
  }

  /** Supervised runs of all processes, and the clock. Asked only when something else than to go on is due, which is seldom. */
  async #circumstances(): Promise<Circumstances> {
    const { store, clock } = this.#parts;
    const running = await busySince(store, clock);
    return { running, clockInDoubt: (await judgeClock(store, clock)) === 'suspect' };
  }

  async #existing(id: string): Promise<SessionFacts> {
    const facts = await this.#parts.store.get(id);
    if (facts === undefined) throw noSuchSession(id);
    return facts;
  }

  #decide(session: SessionFacts, { running, clockInDoubt = false }: Partial<Circumstances> = {}): ResetDecision {
    const { startedAt, lastActiveAt, endedAt, endReason, messageCount } = session;
    const since = Math.min(this.#background.get(session.id)?.since ?? Infinity, running?.get(session.id) ?? Infinity);
    return decideReset({
      now: this.#parts.clock.now(),
      session: {
        startedAt,
        lastActiveAt,
        ...(endedAt !== undefined && { endedAt }),
        ...(endReason !== undefined && { endReason }),
        ...(Number.isFinite(since) && { backgroundSince: since }),
        messageCount,
        sizeBytes: sessionBytes(session),
      },
      rules: this.live.rulesFor(session.source).reset,
      clockInDoubt,
    });
  }

  /** Asked inside the transaction that acts on it, with what is true there. */
  #choose(
    { key: _, ...session }: ResolveRequest,
    current: SessionFacts | undefined,
    circumstances: Circumstances,
  ): RouteChoice & { resolution: Resolution } {
    if (current === undefined) return { kind: 'start', session, resolution: { kind: 'created' } };
    const decision = this.#decide(current, circumstances);
    if (decision.kind === 'resume') return { kind: 'resume', resolution: { kind: 'resumed' } };
    if (decision.kind !== 'reset') return { kind: 'keep', resolution: { kind: 'continued' } };
    const { reason } = decision;
    const child = { ...session, parentId: current.id, childKind: 'reset' } as const;
    const resolution = { kind: 'reset', reason, previousId: current.id } as const;
    return { kind: 'start', session: child, endReason: `reset: ${reason}`, resolution };
  }

  async #handle(facts: SessionFacts, resolution: Resolution): Promise<GatewaySession> {
    return new GatewaySession({
      home: this.#parts,
      facts,
      session: sessionHandle(this.#parts, facts.id),
      live: await this.live.follow(facts),
      resolution,
    });
  }

  #tellStop(sessionId: string, verdict: Verdict): void {
    const kind = verdict.kind === 'reset' ? 'session-reset' : 'session-stopped';
    const { rule, scope, used, limit } = verdict.causes[0] ?? {};
    const figures = { ...(rule !== undefined && { rule, scope, used, limit }) } as Readonly<Record<string, JsonValue>>;
    this.events.publish({ kind, sessionId, message: factsOf(verdict), figures });
  }

  #tellReset(key: string, sessionId: string, reason: string): void {
    this.live.forget(sessionId);
    const figures = { key, reason };
    this.events.publish({ kind: 'session-reset', sessionId, message: `${key} starts afresh: ${reason}.`, figures });
  }

  #tell({ id: sessionId, routeKey = '' }: SessionFacts, resolution: Resolution): void {
    const figures = { key: routeKey };
    if (resolution.kind === 'created') {
      this.events.publish({ kind: 'session-started', sessionId, message: `${routeKey} has a new session.`, figures });
    } else if (resolution.kind === 'resumed') {
      const message = `${routeKey} goes on after an accident.`;
      this.events.publish({ kind: 'session-resumed', sessionId, message, figures });
    } else if (resolution.kind === 'reset') {
      this.live.forget(resolution.previousId);
      const { reason, previousId } = resolution;
      const message = `${routeKey} starts afresh: ${reason}.`;
      this.events.publish({ kind: 'session-reset', sessionId, message, figures: { ...figures, reason, previousId } });
    }
  }
}

function lateCallSentence({ tokens, nanoUsd }: Reserved): string {
  const cost = nanoUsd > 0 ? `, $${(nanoUsd / 1e9).toFixed(4)}` : '';
  const counted = `${tokens.toLocaleString('en')} tokens${cost}`;
  return `A call of a model was under way when its run died. What it was expected to use is counted: ${counted}.`;
}

function noSuchRoute(key: string): Failure {
  return new Failure('not-found', `No session answers ${key}.`, { hint: 'List them with: coppice sessions routes' });
}
