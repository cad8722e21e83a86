import { Agent, type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps, Agent as SecureAgent } from 'node:https';
import { setTimeout } from 'node:timers/promises';
import { FAILURES, Failure, type FailureCode } from '../core/failure.ts';

export interface ClientOptions {
  /** `http://127.0.0.1:7717`, an https address of a proxy, or `unix:` and the path of a socket. */
  readonly url: string;
  readonly token: string;
}

export interface Call {
  readonly method: 'GET' | 'POST' | 'PATCH';
  /** Ids in it are encoded already. */
  readonly path: string;
  readonly query?: object | undefined;
  readonly body?: object | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Told of each step of an answer that takes long. */
  readonly onStep?: ((step: never) => void) | undefined;
}

/** How often a call that changes nothing is tried, and how long is waited before the second time; then twice as long each. */
const TRIES = 4;
const RETRY_MS = 100;

/** Sends requests to a daemon. An error that it answers with comes out as the `Failure` that it is. */
export class Transport implements Disposable {
  readonly #where: RequestOptions;
  readonly #secure: boolean;
  readonly #token: string;
  readonly #name: string;
  readonly #agent: Agent;

  constructor({ url, token }: ClientOptions) {
    const { secure, ...where } = placeOf(url);
    this.#secure = secure;
    this.#where = where;
    this.#token = token;
    this.#name = url;
    this.#agent = secure ? new SecureAgent({ keepAlive: true }) : new Agent({ keepAlive: true });
  }

  /** One document, and steps before it where it takes long. What changes nothing is tried again when nobody answers, or when the daemon asks to wait. */
  async json<T>(call: Call): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const response = await this.#once(call, { accept: 'application/jsonl, application/json' });
        return (await (isLines(response) ? lastOf(response, call.onStep) : answerOf(response))) as T;
      } catch (error) {
        call.signal?.throwIfAborted();
        if (call.method !== 'GET' || attempt === TRIES || !isPassing(error)) throw this.#told(error);
        await setTimeout(RETRY_MS * 2 ** (attempt - 1), undefined, call.signal && { signal: call.signal });
      }
    }
  }

  /** An answer to be read as it comes. */
  async stream(call: Call & { readonly headers?: Readonly<Record<string, string>> }): Promise<IncomingMessage> {
    try {
      const response = await this.#once(call, call.headers);
      if (response.statusCode !== 200) await answerOf(response);
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

async function answerOf(response: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const document: unknown = parse(Buffer.concat(chunks).toString('utf8'));
  const status = response.statusCode ?? 0;
  if (status < 400) return withoutVersion(document);
  throw new RemoteFailure(status, document);
}

function isLines({ headers }: IncomingMessage): boolean {
  return headers['content-type'] === 'application/jsonl';
}

/** Tells the steps as they come; what comes last is the answer, or why there is none. */
async function lastOf(response: IncomingMessage, onStep: Call['onStep']): Promise<unknown> {
  let last: object | undefined;
  for await (const line of linesOf(response)) {
    if (line === '') continue;
    const { step, answer, ...failed } = JSON.parse(line) as { step?: never; answer?: object; status?: number };
    if (failed.status !== undefined) throw new RemoteFailure(failed.status, failed);
    if (step !== undefined) onStep?.(step);
    last = answer;
  }
  if (last !== undefined) return withoutVersion(last);
  throw new Failure('failed', 'The daemon stopped before it had answered.', {
    hint: 'What it had begun is in order. See how far it came with: coppice runs',
  });
}

/** A line may be as long as a whole plan, so it is put together once. */
async function* linesOf(response: IncomingMessage): AsyncGenerator<string> {
  let parts: string[] = [];
  for await (const chunk of response.setEncoding('utf8') as AsyncIterable<string>) {
    const [first = '', ...rest] = chunk.split('\n');
    parts.push(first);
    for (const next of rest) {
      yield parts.join('');
      parts = [next];
    }
  }
}

/** The version is for programs that speak to the API themselves. */
function withoutVersion(document: unknown): unknown {
  const { schemaVersion: _, ...rest } = document as { readonly schemaVersion: number };
  return rest;
}

/** An error that the daemon answered with. */
class RemoteFailure extends Failure {
  readonly status: number;

  constructor(status: number, document: unknown) {
    const { code = '', message = `The daemon answered with status ${status}.`, hint } = errorOf(document);
    super(Object.hasOwn(FAILURES, code) ? (code as FailureCode) : (CODE_OF[status] ?? 'refused'), message, {
      ...(hint !== undefined && { hint }),
    });
    this.status = status;
  }
}

/** What HTTP itself refuses has no failure of its own. */
const CODE_OF: Readonly<Record<number, FailureCode>> = { 404: 'not-found', 405: 'usage', 413: 'usage', 415: 'usage' };

interface SentError {
  readonly code?: string;
  readonly message?: string;
  readonly hint?: string;
}

function errorOf(document: unknown): SentError {
  return (document as { error?: SentError } | undefined)?.error ?? {};
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not a daemon, or a proxy before it: the status says enough.
    return undefined;
  }
}

function isPassing(error: unknown): boolean {
  if (error instanceof RemoteFailure) return error.status === 429 || error.status === 503;
  return isUnreachable(error);
}

function isUnreachable(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return ['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'ENOTFOUND', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH'].includes(
    String(code),
  );
}
