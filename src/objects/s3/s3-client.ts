import { setTimeout } from 'node:timers/promises';
import { Failure } from '../../core/failure.ts';
import { textOf } from './s3-xml.ts';
import { type S3Credentials, signedHeaders } from './sign-request.ts';

export interface S3Place {
  /** Of the server, without the bucket. */
  readonly endpoint: URL;
  readonly region: string;
  readonly bucket: string;
  /** Asked for each request, so that keys may change. */
  readonly credentials: () => Promise<S3Credentials>;
  readonly retry?: Partial<S3Retry>;
}

/** How long a server may be in trouble. */
export interface S3Retry {
  readonly attempts: number;
  /** The pause after the first attempt; each one after that is about twice as long. */
  readonly pauseMs: number;
  /** How long an answer may take, apart from its bytes. */
  readonly timeoutMs: number;
  /** A line slower than that is taken for a dead one. */
  readonly slowestBytesPerMs: number;
}

const RETRY: S3Retry = { attempts: 5, pauseMs: 200, timeoutMs: 30_000, slowestBytesPerMs: 64 };
const LONGEST_PAUSE_MS = 10_000;

export interface S3Request {
  readonly method: 'GET' | 'PUT' | 'POST' | 'HEAD' | 'DELETE';
  /** In the bucket; the bucket itself where it is absent. */
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Bytes that the answer is to have. */
  readonly expectedBytes?: number;
  /** Answers besides success that the caller understands. */
  readonly understands?: readonly number[];
}

export interface S3Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
}

/** Asks a bucket, and asks again where it is in trouble that passes: with pauses that grow and are never the same for all. */
export async function askS3(place: S3Place, request: S3Request): Promise<S3Answer> {
  const retry = { ...RETRY, ...place.retry };
  for (let attempt = 1; ; attempt += 1) {
    const answer = await once(place, request, retry);
    if (!('trouble' in answer)) return answer;
    if (attempt >= retry.attempts) throw inTrouble(place, answer.trouble);
    const longest = Math.min(LONGEST_PAUSE_MS, retry.pauseMs * 2 ** (attempt - 1));
    await setTimeout(longest / 2 + (Math.random() * longest) / 2);
  }
}

/** Of the server, for people. */
export function nameOfPlace({ endpoint, bucket }: Pick<S3Place, 'endpoint' | 'bucket'>): string {
  return `the bucket ${bucket} at ${endpoint.host}`;
}

interface Trouble {
  readonly trouble: string;
}

async function once(
  place: S3Place,
  request: S3Request,
  { timeoutMs, slowestBytesPerMs }: S3Retry,
): Promise<S3Answer | Trouble> {
  const { method, body, expectedBytes = 0, understands = [] } = request;
  const url = urlOf(place, request);
  const credentials = await place.credentials();
  const headers = signedHeaders(
    { method, url, headers: request.headers ?? {}, body },
    { credentials, region: place.region, at: new Date() },
  );
  const bytes = (body?.length ?? 0) + expectedBytes;
  const signal = AbortSignal.timeout(timeoutMs + Math.ceil(bytes / slowestBytesPerMs));
  try {
    // `host` is written by whoever sends it.
    const { host: _, ...sent } = headers;
    const response = await fetch(url, { method, headers: sent, signal, redirect: 'manual', ...(body && { body }) });
    const answer = {
      status: response.status,
      headers: response.headers,
      body: Buffer.from(await response.arrayBuffer()),
    };
    if (response.ok || understands.includes(response.status)) return checked(answer, request);
    if (PASSES.has(response.status)) return { trouble: `answered ${response.status}` };
    throw refusal(place, answer);
  } catch (error) {
    if (error instanceof Failure) throw error;
    return { trouble: troubleOf(error) };
  }
}

/** Trouble that passes: too much to do, restarting, two who wanted the same. A clock that is off does not, and neither does a wrong key. */
const PASSES: ReadonlySet<number> = new Set([408, 409, 425, 429, 500, 502, 503, 504]);

/** A proxy may cut an answer short and say that it is whole. */
function checked(answer: S3Answer, { method, expectedBytes }: S3Request): S3Answer | Trouble {
  const short = expectedBytes !== undefined && answer.status < 300 && answer.body.length !== expectedBytes;
  return short && method === 'GET' ? { trouble: 'sent fewer bytes than were asked for' } : answer;
}

function urlOf({ endpoint, bucket }: S3Place, { key, query = {} }: S3Request): URL {
  const base = endpoint.pathname.replace(/\/$/, '');
  const url = new URL(endpoint.origin);
  url.pathname = `${base}/${bucket}${key === undefined ? '' : `/${key}`}`;
  for (const [name, value] of Object.entries(query)) url.searchParams.append(name, value);
  return url;
}

function troubleOf(error: unknown): string {
  if (!(error instanceof Error)) return 'did not answer';
  if (error.name === 'TimeoutError') return 'did not answer in time';
  const { code } = (error.cause ?? {}) as { readonly code?: unknown };
  return typeof code === 'string' ? `cannot be reached (${code})` : 'broke off its answer';
}

function inTrouble(place: S3Place, trouble: string): Failure {
  return new Failure('failed', `${capital(nameOfPlace(place))} ${trouble}, again and again.`, {
    hint: 'Nothing is lost. Try again when it is back.',
  });
}

/** What a server says that will say the same again. Its own words for it are no secret; what it quotes of the request may be one. */
function refusal(place: S3Place, { status, headers, body }: S3Answer): Failure {
  const said = textOf(body.toString('utf8', 0, 4000), 'Code') ?? '';
  const code = /^\w{1,60}$/.test(said) ? said : undefined;
  const what = `${capital(nameOfPlace(place))} refused it: ${code ?? status}.`;
  if (status >= 300 && status < 400) {
    const region = headers.get('x-amz-bucket-region');
    const where = region === null ? '' : ` It is in ${region.slice(0, 40)}.`;
    return new Failure('failed', `${what}${where}`, {
      hint: 'Set archive.endpoint and archive.region to where the bucket is.',
    });
  }
  return new Failure('failed', what, {
    hint: HINTS[code ?? ''] ?? 'Nothing was changed. See what the server says about it.',
  });
}

const KEYS = 'Check the keys, and what they may do: read, write, list and delete in this bucket.';
const HINTS: Readonly<Record<string, string>> = {
  NoSuchBucket: 'Make the bucket first, or set archive.url right. Coppice makes none.',
  AccessDenied: KEYS,
  InvalidAccessKeyId: KEYS,
  SignatureDoesNotMatch: `${KEYS} archive.region must be that of the bucket.`,
  ExpiredToken: 'The keys were lent for a while that is over. Get new ones.',
  RequestTimeTooSkewed: 'The clock of this machine is off. Set it right.',
};

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
