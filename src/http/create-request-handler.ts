import type { IncomingMessage, ServerResponse } from 'node:http';
import type { z } from 'zod';
import { Failure } from '../core/failure.ts';
import type { JsonValue } from '../core/json.ts';
import { AnswerLines, beganLines } from './answer-lines.ts';
import type { createAdmission } from './create-admission.ts';
import type { createRateLimit } from './create-rate-limit.ts';
import { createRouter } from './create-router.ts';
import { readJson } from './read-json.ts';
import { type ErrorAnswer, failureAnswer, INTERNAL, refuse } from './refusal.ts';
import type { HttpParts, JsonRoute, Route } from './route.ts';
import { ROUTES } from './route-table.ts';

/** The version of the documents, as `--json` prints it. */
const SCHEMA_VERSION = 1;

export interface Door {
  readonly admit: ReturnType<typeof createAdmission>;
  readonly rate: ReturnType<typeof createRateLimit>;
  /** For those who are turned away: far fewer, so that nobody tries tokens. */
  readonly refusedRate: ReturnType<typeof createRateLimit>;
  readonly say: (line: string) => void;
}

/** Answers one request, whatever it is. No route is reached without passing the door. Never rejects. */
export function createRequestHandler(parts: HttpParts, door: Door) {
  const find = createRouter(ROUTES);
  const { metrics } = parts;
  function closed(this: ServerResponse): void {
    metrics.inFlight -= 1;
    metrics.answered(this.req.method ?? '', this.statusCode);
  }
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    metrics.inFlight += 1;
    response.on('close', closed);
    response.on('error', ignore);
    try {
      await answer({ parts, door, find }, request, response);
    } catch (error) {
      if (!isGone(response, error)) sendError(response, toAnswer(error, { parts, door }));
    }
  };
}

/** A client that goes away in the middle is its own business. */
function ignore(): void {}

interface Context {
  readonly parts: HttpParts;
  readonly door: Door;
  readonly find: ReturnType<typeof createRouter>;
}

function answer(
  { parts, door, find }: Context,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> | void {
  const [path, query] = split(request.url ?? '');
  const found = find(request.method ?? '', path);
  const open = found.kind === 'found' && found.route.open === true;
  const refused = turnedAway({ parts, door }, request, { open, cost: costOf(found) });
  if (refused !== undefined) {
    parts.metrics.refused += 1;
    return sendError(response, refused);
  }
  if (found.kind === 'no-such-path') return sendError(response, NO_SUCH_PATH);
  if (found.kind === 'wrong-method') {
    response.setHeader('allow', found.allow);
    return sendError(response, wrongMethod(found.allow));
  }
  const { route, id } = found;
  if ('answer' in route) return answerJson({ parts, route, id, query }, request, response);
  return route.respond({ parts, id, query: route.query && askedOf(route, query), request, response });
}

function turnedAway(
  { parts, door }: Pick<Context, 'parts' | 'door'>,
  request: IncomingMessage,
  { open, cost }: { open: boolean; cost: number },
): ErrorAnswer | undefined {
  if (parts.signal.aborted) return STOPPING;
  const client = request.socket.remoteAddress ?? 'local';
  const refused = open ? undefined : door.admit(request.headers);
  if (refused !== undefined) return door.refusedRate(client) ? refused : TOO_MANY;
  return door.rate(client, cost) ? undefined : TOO_MANY;
}

function costOf(found: ReturnType<ReturnType<typeof createRouter>>): number {
  return found.kind === 'found' ? (found.route.cost ?? 1) : 1;
}

interface JsonCall {
  readonly parts: HttpParts;
  readonly route: JsonRoute;
  readonly id: string;
  readonly query: string;
}

async function answerJson(
  { parts, route, id, query }: JsonCall,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const asked = askedOf(route, query);
  const body = route.body === undefined ? undefined : await readJson(request);
  if (body !== undefined && !('value' in body)) return sendError(response, body);
  const given = route.body === undefined ? undefined : checked(route.body, body?.value, 'body');
  const document =
    route.tells === undefined
      ? await route.handle({ parts, id, query: asked, body: given, tell: unheard, signal: parts.signal })
      : await handleSlowly(route, { parts, id, query: asked, body: given }, response);
  send(response, route.status ?? 200, { schemaVersion: SCHEMA_VERSION, ...document });
}

async function unheard(): Promise<void> {}

/** A client that goes away is a person who presses Ctrl-C: the work ends between two steps. */
async function handleSlowly(
  route: JsonRoute,
  call: Omit<Parameters<JsonRoute['handle']>[0], 'tell' | 'signal'>,
  response: ServerResponse,
): Promise<object> {
  using lines = new AnswerLines(response, route.status ?? 200);
  const signal = AbortSignal.any([call.parts.signal, lines.gone]);
  return await route.handle({ ...call, signal, tell: (step) => lines.step(step) });
}

function askedOf(route: Route, query: string): unknown {
  if (route.query !== undefined) return checked(route.query, queryOf(query), 'query');
  if (query !== '') throw new Failure('usage', 'This path takes no query.', { hint: EXPECTED });
  return undefined;
}

/** A name that is given several times has a list of values. */
function queryOf(query: string): JsonValue {
  const given = new URLSearchParams(query);
  return Object.fromEntries(
    Array.from(given.keys(), (name) => {
      const values = given.getAll(name);
      return [name, values.length === 1 ? (values[0] ?? '') : values];
    }),
  );
}

function checked(schema: z.ZodType, value: JsonValue | undefined, where: string): unknown {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const at = [where, ...(issue?.path ?? []).map(String)].join('.');
  throw new Failure('usage', `${at}: ${issue?.message ?? 'is not valid'}.`, { hint: EXPECTED });
}

/** Work that was ended because nobody waits for it any more. */
function isGone(response: ServerResponse, error: unknown): boolean {
  if (!response.destroyed || !(error instanceof Error)) return false;
  return error.name === 'AbortError' || ('code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE');
}

function toAnswer(error: unknown, { parts, door }: Pick<Context, 'parts' | 'door'>): ErrorAnswer {
  if (error instanceof Failure && error.httpStatus < 500) return failureAnswer(error, parts.home.path);
  if (parts.signal.aborted) return STOPPING;
  if (error instanceof Error && 'code' in error && error.code === 'ECONNRESET') return INTERNAL;
  door.say(`A request failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  return error instanceof Failure ? failureAnswer(error, parts.home.path) : INTERNAL;
}

function sendError(response: ServerResponse, { status, ...error }: ErrorAnswer): void {
  if (beganLines(response)) return endLines(response, { status, error });
  if (response.headersSent) {
    response.destroy();
    return;
  }
  // What is left of the request is not worth waiting for.
  if (!response.req.complete) response.setHeader('connection', 'close');
  send(response, status, { schemaVersion: SCHEMA_VERSION, error });
}

function endLines(response: ServerResponse, last: object): void {
  response.end(`${JSON.stringify(last)}\n`);
}

function send(response: ServerResponse, status: number, document: object): void {
  if (beganLines(response)) return endLines(response, { answer: document });
  // A text goes out together with the head; bytes would be a piece of their own.
  const text = JSON.stringify(document);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  response.end(text);
}

function split(url: string): [string, string] {
  const at = url.indexOf('?');
  return at === -1 ? [url, ''] : [url.slice(0, at), url.slice(at + 1)];
}

const EXPECTED = 'See what is expected: GET /openapi.json';
const NO_SUCH_PATH = refuse('no-such-path', 'There is nothing at this path.', 'See what there is: GET /openapi.json');
const STOPPING = refuse('stopping', 'The daemon is stopping.', 'Try again in a moment.');
const TOO_MANY = refuse('too-many', 'Too many requests from this client.', 'Wait a moment, then go on more slowly.');

function wrongMethod(allow: string): ErrorAnswer {
  return refuse('wrong-method', 'This path is not for this method.', `Use: ${allow}`);
}
