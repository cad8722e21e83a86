import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Requests } from '../../app/requests.ts';
import { Failure } from '../../core/failure.ts';
import type { KeptRequest, Once } from '../../core/gateway/once.ts';
import { unlessFailure } from '../../core/unless-failure.ts';
import { type ErrorAnswer, refuse } from '../refusal.ts';

/** Longer answers are not kept: whoever lost one finds out what was done by other means. */
const MOST_ANSWER_CHARS = 64 * 1024;
const HEADER = 'idempotency-key';
const KEY = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/;
/** So long whoever asks for what is still at work should wait. */
const WAIT_SECONDS = 1;

/**
 * What becomes of a request whose key was seen before. `noted`: the handler hands the key to the home, which keeps it in the
 * transaction of the effect. `once`: it is never begun a second time. Otherwise its answer is kept, and where there is none it is done
 * again, which must then come to the same. `never`: its answer is a secret, so keys mean nothing to it.
 */
export type Repeat = 'noted' | 'once' | 'never';

export interface KeyedRequest {
  readonly route: { readonly repeat?: Repeat };
  readonly key: string;
  readonly print: string;
}

export type Repeated = { readonly document: object; readonly isRepeated: boolean } | { readonly refused: ErrorAnswer };

/**
 * Requests that bear a key are carried out once. A client that lost the answer sends the same again, and gets what the first one gave.
 * There is one daemon for a home, so what is at work is known here; the rest is known to the home.
 */
export class RepeatedRequests {
  readonly #requests: Requests;
  /** Keys of requests at work. */
  readonly #working = new Map<string, { readonly print: string }>();

  constructor(requests: Requests) {
    this.#requests = requests;
  }

  async answer(request: KeyedRequest, work: (once?: Once) => Promise<object>): Promise<Repeated> {
    const { key, print } = request;
    const working = this.#working.get(key);
    if (working !== undefined) return { refused: working.print === print ? AT_WORK : OTHER_REQUEST };
    this.#working.set(key, { print });
    try {
      const known = await this.#requests.find(key);
      if (known !== undefined && known.print !== print) return { refused: OTHER_REQUEST };
      return await this.#carryOut(request, known, work);
    } finally {
      this.#working.delete(key);
    }
  }

  async #carryOut(
    { route: { repeat }, key, print }: KeyedRequest,
    known: KeptRequest | undefined,
    work: (once?: Once) => Promise<object>,
  ): Promise<Repeated> {
    const isKnown = known !== undefined;
    const once = { key, print, isKnown };
    // What was noted with its effect is done again but for that.
    if (repeat === 'noted') return { document: await work(once), isRepeated: isKnown };
    if (known !== undefined) return known.result === '' ? { refused: ANSWER_UNKNOWN } : repeated(known);
    if (repeat === 'once') await this.#requests.begin(once);
    const document = await work().catch(async (error: unknown) => {
      if (repeat === 'once' && cameToNothing(error)) await this.#requests.forget(key);
      throw error;
    });
    await this.#keep(once, document);
    return { document, isRepeated: false };
  }

  /** The work is done, so its answer goes out even where it cannot be kept. */
  async #keep(once: Once, document: object): Promise<void> {
    const text = JSON.stringify(document);
    const result = text.length > MOST_ANSWER_CHARS ? '' : text;
    await this.#requests.answer(once, result).catch(unlessFailure);
  }
}

function repeated({ result }: KeptRequest): Repeated {
  return { document: JSON.parse(result) as object, isRepeated: true };
}

/** What is refused before anything was done may be tried again under the same key. */
function cameToNothing(error: unknown): boolean {
  return error instanceof Failure && error.httpStatus < 500;
}

/** The key that a request bears, as one of this client and this path alone; undefined for a request without one. */
export function keyOf(request: IncomingMessage, path: string): string | undefined {
  const given = request.headers[HEADER];
  if (given === undefined || request.method === 'GET' || request.method === 'HEAD') return undefined;
  if (typeof given !== 'string' || !KEY.test(given)) {
    throw new Failure('usage', 'The header Idempotency-Key must hold 1 to 255 printable characters of ASCII.', {
      hint: 'Use a new UUID for each thing that is to be done once, and the same one to ask for it again.',
    });
  }
  const { authorization, 'x-coppice-proof': proof } = request.headers;
  return digest([authorization ?? String(proof ?? ''), request.method ?? '', path, given]);
}

/** What is asked for under a key, so that another request under it is noticed. */
export function printOf(query: string, body: Buffer | undefined): string {
  return digest([query, body ?? '']);
}

function digest(parts: readonly (string | Buffer)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${part.length}:`).update(part);
  return hash.digest('base64url').slice(0, 32);
}

const AT_WORK = {
  ...refuse('at-work', 'The first request with this key is still at work.', 'Send it again in a moment.'),
  retryAfterSeconds: WAIT_SECONDS,
};
const OTHER_REQUEST = refuse(
  'key-reused',
  'Another request came with this Idempotency-Key before.',
  'Use a new key for each request; only the same request may bear the same key.',
);
const ANSWER_UNKNOWN = refuse(
  'answer-unknown',
  'A request with this key came before. It was cut short, or its answer was too long to be kept.',
  'What it had done is in order. See how far it came, such as with GET /api/runs or GET /api/cron, then send what is left with a new key.',
);
