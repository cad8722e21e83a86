import type { Scope, Spend, Verdict } from '../../core/gateway.ts';
import type { NewMessage } from '../../core/message.ts';
import type { Route } from '../../core/route-book.ts';
import type { SessionFacts } from '../../core/session.ts';
import type { FeedEvent } from '../../gateway/event-feed.ts';
import type { HomeParts } from '../home-parts.ts';
import type { GatewaySession } from './gateway-session.ts';
import type { LiveGateway, ResolveRequest } from './live-gateway.ts';
import type { AgentRun, AgentRunResult } from './run-agent.ts';

/**
 * Live sessions: `home.gateway`. Which session answers whom, what it may still use, and agents that run under watch. Everything
 * behind it is loaded when it is used, because most programs only record sessions.
 */
export class Gateway implements Disposable {
  readonly #parts: HomeParts;
  #live: Promise<LiveGateway> | undefined;
  #opened: LiveGateway | undefined;

  constructor(parts: HomeParts) {
    this.#parts = parts;
  }

  /** The session that answers this key: the one of before, taken up again, or a new one where the rules say so. */
  async resolve(request: ResolveRequest): Promise<GatewaySession> {
    return (this.#opened ?? (await this.#open())).resolve(request);
  }

  /** A session by its id, whether it answers a key or not: what is used in it counts towards budgets. */
  async open(id: string): Promise<GatewaySession> {
    return (await this.#open()).open(id);
  }

  /** Ends the session that answers a key; the next message starts another. Its files follow the rules. */
  async reset(key: string, reason?: string): Promise<SessionFacts> {
    return (await this.#open()).reset(key, reason);
  }

  /** Every key and the session that answers it. */
  routes(): AsyncIterable<Route> {
    return this.#parts.store.routes.list();
  }

  /** Ends what is due for a reset although nobody talks to it. Returns the keys. */
  async resetIdle(signal?: AbortSignal): Promise<readonly string[]> {
    return (await this.#open()).resetIdle(signal);
  }

  /** Says that work goes on in the background of a session until what is returned is disposed of: a reset waits for it. */
  async background(sessionId: string): Promise<Disposable> {
    return (await this.#open()).background(sessionId);
  }

  /** Counts messages that somebody else has added to a session. One that is then told to stop has ended. */
  async added(id: string, messages: readonly NewMessage[]): Promise<Verdict> {
    return (this.#opened ?? (await this.#open())).added(id, messages);
  }

  /** What was used, by what it counts towards, newest first. */
  async spend(scope: Scope): Promise<readonly Spend[]> {
    return (await this.#open()).spend(scope);
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
    const { runAgent } = await import('./run-agent.ts');
    return runAgent({ ...this.#parts, gateway: await this.#open() }, run);
  }

  /** Ends what is left of runs whose supervisor died, and closes their sessions as crashed. Every run does so at its start. */
  async closeOrphans(): Promise<void> {
    const { closeOrphans } = await import('./run-agent.ts');
    await closeOrphans(this.#parts);
  }

  [Symbol.dispose](): void {
    this.#opened?.[Symbol.dispose]();
  }

  #open(): Promise<LiveGateway> {
    this.#live ??= import('./live-gateway.ts').then(({ LiveGateway }) => {
      this.#opened = new LiveGateway(this.#parts);
      return this.#opened;
    });
    return this.#live;
  }
}
