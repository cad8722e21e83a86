import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import type { Gateway } from '../app/gateway/gateway.ts';
import { isoTime, SECOND_MS } from '../core/time.ts';

type FeedEvent = ReturnType<Gateway['events']> extends AsyncGenerator<infer Event> ? Event : never;

/** A client that takes so little that this much waits for it is let go: it can come back where it was. */
const MAX_WAITING_BYTES = 1024 * 1024;
/** Something is sent at least this often, so that both ends notice when the other is gone. */
const HEARTBEAT_MS = 15 * SECOND_MS;

/** Everybody who follows the events of this daemon. */
export class EventClients {
  readonly #gateway: Pick<Gateway, 'events'>;
  readonly #clients = new Set<ServerResponse>();
  readonly #heartbeat: NodeJS.Timeout;
  /** Numbers of events begin anew with every daemon, so they are told apart by this. */
  readonly #era = randomBytes(6).toString('hex');

  constructor(gateway: Pick<Gateway, 'events'>) {
    this.#gateway = gateway;
    this.#heartbeat = setInterval(() => this.#beat(), HEARTBEAT_MS).unref();
  }

  get size(): number {
    return this.#clients.size;
  }

  /** Sends events to a client until it goes, from where it was before if it says so. */
  async follow(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    this.#clients.add(response);
    try {
      await this.#send(request.headers['last-event-id'], response, gone.signal);
    } finally {
      this.#clients.delete(response);
    }
  }

  async #send(lastId: string | string[] | undefined, response: ServerResponse, signal: AbortSignal): Promise<void> {
    const after = this.#place(lastId);
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    const events = this.#gateway.events({ ...(after !== undefined && { after: Math.max(0, after) }), signal });
    let next = events.next();
    // Whoever reads this line misses nothing that happens after it: the feed is asked by now.
    await setImmediate();
    response.write(after === LOST ? this.#frame(AFTER_RESTART) : ': ready\n\n');
    for (let event = await next; event.done !== true; event = await next) {
      response.write(this.#frame(event.value));
      if (response.writableLength > MAX_WAITING_BYTES) response.destroy();
      next = events.next();
    }
  }

  /** Lets everybody go. */
  end(): void {
    clearInterval(this.#heartbeat);
    for (const response of this.#clients) response.end();
  }

  #beat(): void {
    for (const response of this.#clients) response.write(': still here\n\n');
  }

  #place(lastId: string | string[] | undefined): number | undefined {
    if (typeof lastId !== 'string') return undefined;
    const [, era, number] = /^([\da-f]{12})-(\d{1,15})$/.exec(lastId) ?? [];
    return era === this.#era ? Number(number) : LOST;
  }

  #frame({ id, at, ...event }: Pick<FeedEvent, 'id' | 'kind' | 'message'> & { at?: number }): string {
    const data = { at: isoTime(at ?? Date.now()), ...event };
    return `id: ${this.#era}-${id}\nevent: ${event.kind}\ndata: ${JSON.stringify(data)}\n\n`;
  }
}

const LOST = -1;
const AFTER_RESTART = {
  id: 0,
  kind: 'gap',
  message: 'The daemon was started again. What happened before is not known.',
} as const;
