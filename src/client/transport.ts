import { randomUUID } from 'node:crypto';
import { Agent, type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps, Agent as SecureAgent } from 'node:https';
import { setTimeout } from 'node:timers/promises';
import { Failure } from '../core/failure.ts';
import { SECOND_MS } from '../core/time.ts';
import { RemoteFailure, readAnswer } from './read-answer.ts';
import { tlsFailure } from './tls-failure.ts';

export interface ClientOptions {
  /** `http://127.0.0.1:7717`, an https address, or `unix:` and the path of a socket. */
  readonly url: string;
  readonly token: string;
  /** Certificates as PEM, for a daemon whose own is signed by one that this machine does not know. */
  readonly ca?: string;
}

export interface Call {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Ids in it are encoded already. */
  readonly path: string;
  readonly query?: object | undefined;
  readonly body?: object | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Told of each step of an answer that takes long. */
  readonly onStep?: ((step: never) => void) | undefined;
}

/** How often a call is tried, and how long is waited before the second time; then twice as long each. */
const TRIES = 4;
const RETRY_MS = 100;
/** A daemon that asks for more patience than this is not waited for. */
const LONGEST_WAIT_MS = 30 * SECOND_MS;

/** Sends requests to a daemon. An error that it answers with comes out as the `Failure` that it is. */
export class Transport implements Disposable {
  readonly #where: RequestOptions;
  readonly #secure: boolean;
  readonly #token: string;
  readonly #name: string;
  readonly #agent: Agent;

  constructor({ url, token, ca }: ClientOptions) {
    const { secure, ...where } = placeOf(url);
    this.#secure = secure;
    this.#where = where;
    this.#token = token;
    this.#name = url;
    this.#agent = secure
      ? new SecureAgent({ keepAlive: true, ...(ca !== undefined && { ca }) })
      : new Agent({ keepAlive: true });
  }

  /**
   * One document, and steps before it where it takes long. A call is tried again when nobody answers, or when the daemon asks to wait.
   * What changes something bears a key, the same each time, by which the daemon knows that it did so already.
   */
  async json<T>(call: Call): Promise<T> {
    const headers = {
      accept: 'application/jsonl, application/json',
      ...(call.method !== 'GET' && { 'idempotency-key': randomUUID() }),
    };
    for (let attempt = 1; ; attempt += 1) {
      try {
        return (await readAnswer(await this.#once(call, headers), call.onStep)) as T;
      } catch (error) {
        call.signal?.throwIfAborted();
        const waitMs = waitBeforeNext(error, attempt);
        if (waitMs === undefined) throw this.#told(error);
        await setTimeout(waitMs, undefined, call.signal && { signal: call.signal });
      }
    }
  }

  /** An answer to be read as it comes. */
  async stream(call: Call & { readonly headers?: Readonly<Record<string, string>> }): Promise<IncomingMessage> {
    try {
      const response = await this.#once(call, call.headers);
      if (response.statusCode !== 200) await readAnswer(response);
      return response;
    } catch (error) {
      throw this.#told(error);
    }
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }

  #once({ method, path, query, body, signal }: Call, headers: Readonly<Record<string, string>> = {}) {
    const text = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const options: RequestOptions = {
      ...this.#where,
      method,
      path: `${path}${queryText(query)}`,
      agent: this.#agent,
      headers: {
        ...headers,
        authorization: `Bearer ${this.#token}`,
        ...(text && { 'content-type': 'application/json', 'content-length': text.length }),
      },
      ...(signal && { signal }),
    };
    return new Promise<IncomingMessage>((resolve, reject) => {
      const sent = (this.#secure ? requestHttps : requestHttp)(options, resolve);
      sent.once('error', reject);
      sent.end(text);
    });
  }

  #told(error: unknown): unknown {
    if (error instanceof RemoteFailure && error.status === 401) {
      return new Failure('refused', `The daemon at ${this.#name} does not accept this token.`, {
        hint: 'Use the one in the file that is named when the daemon starts: coppice serve',
        cause: error,
      });
    }
    const distrusted = tlsFailure(this.#name, error);
    if (distrusted !== undefined) return distrusted;
    if (!isUnreachable(error)) return error;
    return new Failure('failed', `No daemon answers at ${this.#name}.`, {
      hint: 'Start it there with: coppice serve',
      cause: error,
    });
  }
}

function placeOf(url: string): RequestOptions & { secure: boolean } {
  if (url.startsWith('unix:')) return { socketPath: url.slice('unix:'.length), secure: false };
  if (!URL.canParse(url) || !/^https?:/i.test(url)) {
    throw new Failure('usage', `'${url}' is not where a daemon can be.`, {
      hint: 'Use a URL such as http://127.0.0.1:7717, or unix: and the path of a socket.',
    });
  }
  const { hostname, port, protocol } = new URL(url);
  return { host: hostname.replace(/^\[(.*)\]$/, '$1'), ...(port !== '' && { port }), secure: protocol === 'https:' };
}

function queryText(query: object = {}): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query) as [string, unknown][])
    for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined) given.append(name, String(one));
  return given.size === 0 ? '' : `?${given.toString()}`;
}

/** How long to wait before the same call is tried again; undefined when that is no use. */
function waitBeforeNext(error: unknown, attempt: number): number | undefined {
  if (attempt === TRIES || !isPassing(error)) return undefined;
  if (error instanceof RemoteFailure && error.isHalfway) return undefined;
  const asked = error instanceof RemoteFailure ? (error.retryAfterSeconds ?? 0) * SECOND_MS : 0;
  return asked > LONGEST_WAIT_MS ? undefined : Math.max(asked, RETRY_MS * 2 ** (attempt - 1));
}

/** Whether the same call may well succeed in a moment: nobody answered, or the daemon asked to wait, as for one that is still at work. */
export function isPassing(error: unknown): boolean {
  if (error instanceof RemoteFailure) return [429, 503].includes(error.status) || error.refusal === 'at-work';
  return isUnreachable(error instanceof Failure ? error.cause : error);
}

function isUnreachable(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return ['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'ENOTFOUND', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH'].includes(
    String(code),
  );
}
