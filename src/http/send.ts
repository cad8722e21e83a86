import { createHash } from 'node:crypto';
import { type OutgoingHttpHeaders, type ServerResponse, STATUS_CODES } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { beganLines } from './answer-lines.ts';
import { COME_BACK_SECONDS, type ErrorAnswer } from './refusal.ts';

/** The version of the documents, as `--json` prints it. */
export const SCHEMA_VERSION = 1;
/** What is shorter than this gains nothing by being packed. */
const WORTH_PACKING = 1024;
const PROBLEM = 'application/problem+json';

const [pack, packTightly] = [promisify(gzip), promisify(brotliCompress)];
export const PACKERS = {
  // Quick rather than small: whoever asks waits for it.
  br: (text: string) => packTightly(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (text: string) => pack(text),
} as const;

/** Sends a document, packed for a client that takes it so; a client that has it already is told only that. */
export async function sendDocument(response: ServerResponse, status: number, whole: object): Promise<void> {
  if (beganLines(response)) return endLines(response, { answer: whole });
  const text = JSON.stringify(whole);
  const { method, headers } = response.req;
  const isRead = status === 200 && (method === 'GET' || method === 'HEAD');
  const tag = isRead ? tagOf(text) : undefined;
  const head: OutgoingHttpHeaders = { 'cache-control': tag === undefined ? 'no-store' : 'private, no-cache' };
  if (tag !== undefined) head.etag = tag;
  if (text.length >= WORTH_PACKING) head.vary = 'accept-encoding';
  if (tag !== undefined && namesTag(headers['if-none-match'], tag)) {
    response.writeHead(304, head).end();
    return;
  }
  const packer = text.length < WORTH_PACKING ? undefined : packerFor(headers['accept-encoding']);
  // A text goes out together with the head; bytes would be a piece of their own.
  const body = packer === undefined ? text : await PACKERS[packer](text);
  head['content-type'] = 'application/json';
  head['content-length'] = Buffer.byteLength(body);
  head['x-content-type-options'] = 'nosniff';
  if (packer !== undefined) head['content-encoding'] = packer;
  if (status === 503) head['retry-after'] = String(COME_BACK_SECONDS);
  response.writeHead(status, head);
  response.end(body);
}

/** Sends an error, as the details of a problem (RFC 9457) to a client that asks for those. */
export function sendError(response: ServerResponse, { status, retryAfterSeconds, ...error }: ErrorAnswer): void {
  if (beganLines(response)) return endLines(response, { status, error });
  if (response.headersSent) {
    response.destroy();
    return;
  }
  // What is left of the request is not worth waiting for.
  if (!response.req.complete) response.setHeader('connection', 'close');
  const asProblem = response.req.headers.accept?.includes(PROBLEM) === true;
  const text = JSON.stringify({
    ...(asProblem && problemOf(response, status, error)),
    schemaVersion: SCHEMA_VERSION,
    error,
  });
  response.writeHead(status, {
    'content-type': asProblem ? PROBLEM : 'application/json',
    'content-length': Buffer.byteLength(text),
    ...NEVER_KEPT,
    ...(status === 401 && { 'www-authenticate': challengeOf(response.req.headers.authorization) }),
    ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
    'x-content-type-options': 'nosniff',
  });
  response.end(text);
}

/** Whoever sent a token learns that it is this one which is not good. */
function challengeOf(given = ''): string {
  return /^bearer /i.test(given) ? 'Bearer realm="coppice", error="invalid_token"' : 'Bearer realm="coppice"';
}

function problemOf(response: ServerResponse, status: number, { code, message, hint }: Omit<ErrorAnswer, 'status'>) {
  return {
    type: `urn:coppice:error:${code}`,
    title: STATUS_CODES[status],
    status,
    detail: message,
    ...(hint !== undefined && { hint }),
    instance: `urn:coppice:request:${String(response.getHeader('x-request-id'))}`,
  };
}

function endLines(response: ServerResponse, last: object): void {
  response.end(`${JSON.stringify(last)}\n`);
}

const NEVER_KEPT = { 'cache-control': 'no-store' };

/** Weak: a packed document is the same one. */
export function tagOf(text: string): string {
  return `W/"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
}

/** Whether a header names this tag among others, or any. */
export function namesTag(given: string | undefined, tag: string): boolean {
  return given !== undefined && (given === '*' || given.split(',').some((each) => bare(each.trim()) === bare(tag)));
}

function bare(tag: string): string {
  return tag.replace(/^W\//, '');
}

/** What a client takes and likes best, the tighter one where it does not mind. A weight of zero is a no. */
/** How an answer is packed for a client that takes these; undefined where it is not. */
export function packerFor(accepted = ''): keyof typeof PACKERS | undefined {
  const given = new Map(accepted.toLowerCase().split(',').map(nameAndWeight));
  const weight = (name: keyof typeof PACKERS): number => given.get(name) ?? 0;
  const best = weight('gzip') > weight('br') ? 'gzip' : 'br';
  return weight(best) > 0 ? best : undefined;
}

function nameAndWeight(text: string): [string, number] {
  const [name = '', ...rest] = text.split(';').map((part) => part.trim());
  const weight = rest.find((part) => part.startsWith('q='));
  return [name, weight === undefined ? 1 : Number(weight.slice(2))];
}
