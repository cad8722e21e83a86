import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import type { Gateway } from '../../app/gateway/gateway.ts';
import { isoTime, SECOND_MS } from '../../core/time.ts';

type FeedEvent = ReturnType<Gateway['events']> extends AsyncGenerator<infer Event> ? Event : never;

/** A client that takes so little that this much waits for it is let go: it can come back where it was. */
const MAX_WAITING_BYTES = 1024 * 1024;
/** Something is sent at least this often, so that both ends notice when the other is gone. */
const HEARTBEAT_MS = 15 * SECOND_MS;
/** So many are kept for those who come back. */
const KEPT = 2000;

/** Which events a client wants; all where nothing is said. */
export interface EventFilter {
  readonly type?: readonly string[];
  readonly session?: string;
}

interface Frame {
  readonly event: FeedEvent;
  /** Made once, for everybody. */
  readonly bytes: Buffer;
}

interface Follower {
  readonly response: ServerResponse;
  readonly filter: EventFilter;
  /** The number of the last event that was looked at for it. */
  seen: number;
}

export interface EventClientsOptions {
  /** Goes on as long as anybody follows. */
  readonly whileFollowed?: () => Disposable;
}

/** Everybody who follows the events of this daemon. */
export class EventClients {
  readonly #gateway: Pick<Gateway, 'events'>;
  readonly #options: EventClientsOptions;
  readonly #followers = new Set<Follower>();
  readonly #frames: Frame[] = [];
  readonly #over = new AbortController();
  readonly #heartbeat: NodeJS.Timeout;
  /** Numbers of events begin anew with every daemon, so they are told apart by this. */
  readonly #era = randomBytes(6).toString('hex');
  #gathers = false;
  #sends = false;
  #followed: Disposable | undefined;

  constructor(gateway: Pick<Gateway, 'events'>, options: EventClientsOptions = {}) {
    this.#gateway = gateway;
    this.#options = options;
    this.#heartbeat = setInterval(() => this.#beat(), HEARTBEAT_MS).unref();
  }

  get size(): number {
    return this.#followers.size;
  }

  /** Sends events to a client until it goes, from where it was before if it says so. */
  async follow(request: IncomingMessage, response: ServerResponse, filter: EventFilter = {}): Promise<void> {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    if (request.method === 'HEAD') return void response.end();
    if (!this.#gathers) void this.#gather();
    // What has happened by now is gathered after this.
    await setImmediate();
    const follower = { response, filter, seen: this.#begin(request.headers['last-event-id'], response) };
    this.#followers.add(follower);
    this.#followed ??= this.#options.whileFollowed?.();
    this.#send(follower);
    await new Promise((resolve) => (response.closed ? resolve(undefined) : response.once('close', resolve)));
    this.#followers.delete(follower);
    if (this.#followers.size > 0) return;
    this.#followed?.[Symbol.dispose]();
    this.#followed = undefined;
  }

  /** Lets everybody go. */
  end(): void {
    clearInterval(this.#heartbeat);
    this.#over.abort();
    for (const { response } of this.#followers) response.end();
  }

  /** All events of this process, each once, whoever follows. */
  async #gather(): Promise<void> {
    this.#gathers = true;
    for await (const event of this.#gateway.events({ after: 0, signal: this.#over.signal })) {
      this.#frames.push({ event, bytes: this.#frame(event) });
      if (this.#frames.length > KEPT) this.#frames.shift();
      // Those who come in one turn of the event loop go out together.
      if (!this.#sends) void this.#sendAll();
    }
  }

  async #sendAll(): Promise<void> {
    this.#sends = true;
    await setImmediate();
    this.#sends = false;
    const together = createTogether();
    for (const follower of this.#followers) this.#send(follower, together);
  }

  #send(follower: Follower, together = createTogether()): void {
    const { response, filter, seen } = follower;
    const first = this.#frames[0]?.event.id ?? seen + 1;
    const news = this.#frames.slice(Math.max(0, seen + 1 - first));
    follower.seen = news.at(-1)?.event.id ?? seen;
    const wanted = isAll(filter) ? news : news.filter(({ event }) => isWanted(event, filter));
    if (seen + 1 < first) response.write(this.#frame({ ...GAP, id: first - 1, at: Date.now() }));
    if (wanted.length > 0) response.write(together(wanted));
    if (response.writableLength > MAX_WAITING_BYTES) response.destroy();
  }

  /** Says that nothing is missed from now on, or that something was. Returns the number of the last event that is not sent. */
  #begin(lastId: string | string[] | undefined, response: ServerResponse): number {
    const newest = this.#frames.at(-1)?.event.id ?? 0;
    if (typeof lastId !== 'string') {
      response.write(': ready\n\n');
      return newest;
    }
    const [, era, number] = /^([\da-f]{12})-(\d{1,15})$/.exec(lastId) ?? [];
    if (era === this.#era && Number(number) <= newest) {
      response.write(': ready\n\n');
      return Number(number);
    }
    response.write(this.#frame({ ...AFTER_RESTART, id: 0, at: Date.now() }));
    return (this.#frames[0]?.event.id ?? 1) - 1;
  }

  #beat(): void {
    for (const { response } of this.#followers) response.write(': still here\n\n');
  }

  #frame({ id, at, ...event }: FeedEvent): Buffer {
    const data = { at: isoTime(at), ...event };
    return Buffer.from(`id: ${this.#era}-${id}\nevent: ${event.kind}\ndata: ${JSON.stringify(data)}\n\n`);
  }
}

/** Several frames in one piece, made once for all who get the same ones. Frames are numbered, so the first and their count tell which. */
function createTogether(): (frames: readonly Frame[]) => Buffer {
  const made = new Map<string, Buffer>();
  return (frames) => {
    const [first] = frames;
    if (frames.length === 1 && first !== undefined) return first.bytes;
    const last = frames.at(-1);
    // Without a gap between them: what a filter leaves out is one.
    const isWhole = Number(last?.event.id) - Number(first?.event.id) === frames.length - 1;
    const name = `${first?.event.id}+${frames.length}`;
    const known = isWhole ? made.get(name) : undefined;
    const bytes = known ?? Buffer.concat(frames.map((frame) => frame.bytes));
    if (isWhole) made.set(name, bytes);
    return bytes;
  };
}

function isAll({ type, session }: EventFilter): boolean {
  return type === undefined && session === undefined;
}

function isWanted({ kind, sessionId }: FeedEvent, { type, session }: EventFilter): boolean {
  return (type === undefined || type.includes(kind)) && (session === undefined || sessionId === session);
}

const GAP = { kind: 'gap', message: 'Earlier events are no longer kept.' } as const;
const AFTER_RESTART = {
  kind: 'gap',
  message: 'The daemon was started again. What happened before is not known.',
} as const;
