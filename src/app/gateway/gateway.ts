import type { Scope, Spend } from '../../core/gateway/gateway.ts';
import type { KeptRequest, Once } from '../../core/gateway/once.ts';
import type { Route, RouteQuery } from '../../core/gateway/route-book.ts';
import type { Correction } from '../../core/gateway/spend-book.ts';
import { isNoSpace } from '../../core/machine-failure.ts';
import type { NewMessage } from '../../core/sessions/message.ts';
import type { SessionFacts } from '../../core/sessions/session.ts';
import type { AppendOptions } from '../../core/stores/session-writer.ts';
import type { EpochMs } from '../../core/time.ts';
import type { FeedEvent } from '../../gateway/event-feed.ts';
import type { Checkpoints } from '../checkpoints/checkpoints.ts';
import type { HomeParts } from '../home-parts.ts';
import { refuseBadConfig } from '../refusals/refuse-bad-config.ts';
import { refuseSharedHome } from '../refusals/refuse-shared-home.ts';
import type { BudgetStanding, CorrectionRequest } from './budgets.ts';
import type { GatewaySession, JudgedReceipt } from './gateway-session.ts';
import type { LiveGateway, ResolveRequest } from './live-gateway.ts';
import type { AgentRun, AgentRunResult } from './run-agent.ts';

/**
 * Live sessions: `home.gateway`. Which session answers whom, what it may still use, and agents that run under watch. Everything
 * behind it is loaded when it is used, because most programs only record sessions.
 */
export class Gateway implements Disposable {
  readonly #parts: HomeParts;
  readonly #checkpoints: Pick<Checkpoints, 'take'>;
  /** Requests that bore a key and were counted. */
  readonly requests: CountedRequests = {
    find: async (key) => (this.#opened ?? (await this.#open())).book.request(key),
    dropBefore: async (at) => (await this.#open()).book.dropRequestsBefore(at),
  };
  #live: Promise<LiveGateway> | undefined;
  #opened: LiveGateway | undefined;

  constructor(parts: HomeParts, checkpoints: Pick<Checkpoints, 'take'>) {
    this.#parts = parts;
    this.#checkpoints = checkpoints;
  }

  /** The session that answers this key: the one of before, taken up again, or a new one where the rules say so. */
  async resolve(request: ResolveRequest, once?: Once): Promise<GatewaySession> {
    refuseBadConfig(this.#parts);
    return (this.#opened ?? (await this.#open())).resolve(request, once);
  }

  /** A session by its id, whether it answers a key or not: what is used in it counts towards budgets. */
  async open(id: string): Promise<GatewaySession> {
    refuseBadConfig(this.#parts);
    return (await this.#open()).open(id);
  }

  /** Ends the session that answers a key; the next message starts another. Its files follow the rules. */
  async reset(key: string, reason?: string, once?: Once): Promise<SessionFacts> {
    refuseBadConfig(this.#parts);
    return (await this.#open()).reset(key, reason, once);
  }

  /** Every key and the session that answers it, or those of one source, or after a key. */
  routes(query?: RouteQuery): AsyncIterable<Route> {
    return this.#parts.store.routes.list(query);
  }

  /** Ends what is due for a reset although nobody talks to it. Returns the keys. */
  async resetIdle(signal?: AbortSignal): Promise<readonly string[]> {
    refuseBadConfig(this.#parts);
    return (await this.#open()).resetIdle(signal);
  }

  /** Says that work goes on in the background of a session until what is returned is disposed of: a reset waits for it. */
  async background(sessionId: string): Promise<Disposable> {
    refuseBadConfig(this.#parts);
    return (await this.#open()).background(sessionId);
  }

  /** Adds messages to a session by its id, all or none, and counts them. One that is then told to reset or stop has ended. */
  async append(
    id: string,
    messages: readonly NewMessage[],
    options?: Pick<AppendOptions, 'expectedSeq' | 'once'>,
  ): Promise<JudgedReceipt> {
    refuseBadConfig(this.#parts);
    return (this.#opened ?? (await this.#open())).append(id, { messages, ...options });
  }

  /** What was used, by what it counts towards, newest first. */
  async spend(scope: Scope): Promise<readonly Spend[]> {
    return this.#look((gateway) => gateway.spend(scope));
  }

  /** How every limit on spending stands that several sessions share; with a session, every one that binds it. */
  async budgets(session?: Pick<SessionFacts, 'id' | 'source' | 'model'>): Promise<readonly BudgetStanding[]> {
    return this.#look(({ budgets }) => (session === undefined ? budgets.standings() : budgets.standingsFor(session)));
  }

  /** Takes a false report back from every total that it was counted in; who did so, when and why is kept. */
  async correct(request: CorrectionRequest, once?: Once): Promise<readonly Correction[]> {
    refuseBadConfig(this.#parts);
    const { budgets } = await this.#open();
    await budgets.correct(request, once);
    return budgets.corrections();
  }

  /** What happens in this process from now on, or after the event with this number, until the signal says stop. */
  async *events(options: { readonly after?: number; readonly signal: AbortSignal }): AsyncGenerator<FeedEvent> {
    yield* (await this.#open()).events.follow(options);
  }

  /** Tells everybody who follows the events of this process. */
  async publish(event: Omit<FeedEvent, 'id' | 'at'>): Promise<void> {
    (await this.#open()).events.publish(event);
  }

  /** Runs an agent as a supervised session, within its limits. Resolves when nothing of it is left running. */
  async run(run: AgentRun): Promise<AgentRunResult> {
    refuseBadConfig(this.#parts);
    refuseSharedHome(this.#parts.layout.root);
    const { runAgent } = await import('./run-agent.ts');
    return runAgent({ ...this.#parts, gateway: await this.#open(), checkpoints: this.#checkpoints }, run);
  }

  /** Ends what is left of runs whose supervisor died, and closes their sessions as crashed. Every command that changes the home does so. */
  async closeOrphans(): Promise<void> {
    if ((await this.#parts.store.runRecords.all()).size === 0) return;
    refuseBadConfig(this.#parts);
    const { closeOrphans } = await import('./close-orphans.ts');
    const gateway = await this.#open();
    const closed = await closeOrphans({ ...this.#parts, gateway });
    if (closed > 0) await gateway.settleDead();
  }

  [Symbol.dispose](): void {
    this.#opened?.[Symbol.dispose]();
  }

  /** Looking needs no byte: where nothing can be written, totals are shown as they are. */
  async #look<T>(work: (gateway: LiveGateway) => Promise<T>): Promise<T> {
    const opened = this.#parts.onlyRead === true ? undefined : await this.#open().catch(unlessNoSpace);
    if (opened !== undefined) return work(opened);
    const { LiveGateway } = await import('./live-gateway.ts');
    using looking = new LiveGateway({ ...this.#parts, onlyRead: true });
    return await work(looking);
  }

  #open(): Promise<LiveGateway> {
    this.#live ??= this.#begin().catch((error: unknown) => {
      // A disk that is full now may have room again while this process lives.
      this.#live = undefined;
      throw error;
    });
    return this.#live;
  }

  async #begin(): Promise<LiveGateway> {
    const { LiveGateway } = await import('./live-gateway.ts');
    const { judgeClock } = await import('../../keeping/liveness/clock-watch.ts');
    const clockIs = await judgeClock(this.#parts.store, this.#parts.clock);
    const opened = new LiveGateway(this.#parts);
    try {
      if (clockIs === 'trusted') await opened.forgetOldSpend();
      // Before anything is judged or answered: what a dead process left would be missing, or seem to be set aside.
      await opened.settleDead();
    } catch (error) {
      opened[Symbol.dispose]();
      throw error;
    }
    this.#opened = opened;
    return opened;
  }
}

function unlessNoSpace(error: unknown): undefined {
  if (!isNoSpace(error)) throw error;
}

/** What `home.requests` asks for. */
export interface CountedRequests {
  find(key: string): Promise<KeptRequest | undefined>;
  dropBefore(at: EpochMs): Promise<void>;
}
