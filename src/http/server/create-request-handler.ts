import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { z } from 'zod';
import type { Holder } from '../../app/access/find-bearer.ts';
import { Failure } from '../../core/failure.ts';
import { firstSignal } from '../../core/first-signal.ts';
import type { Once } from '../../core/gateway/once.ts';
import type { JsonValue } from '../../core/json.ts';
import { isNoSpace, machineFailure } from '../../core/machine-failure.ts';
import { AnswerLines } from '../answer-lines.ts';
import { type Note, type NoteParts, noteOf } from '../audit-note.ts';
import { createRouter } from '../create-router.ts';
import { readJson } from '../read-json.ts';
import { type ErrorAnswer, failureAnswer, INTERNAL, refuse, STOPPING } from '../refusal.ts';
import type { Call, HttpParts, JsonRoute, Route, Visit } from '../route.ts';
import { ROUTES } from '../route-table.ts';
import { SCHEMA_VERSION, sendDocument, sendError } from '../send.ts';
import { EndingStreams } from './ending-streams.ts';
import { type Door, letIn } from './let-in.ts';
import { Preconditions } from './preconditions.ts';
import { keyOf, printOf, type Repeated } from './repeated-requests.ts';

/** Answers one request, whatever it is, by the API or with a file of the page. No route is reached without passing the door. Never rejects. */
export function createRequestHandler(parts: HttpParts, door: Door, pages: readonly Route[] = []) {
  const find = createRouter([...ROUTES, ...pages]);
  const streams = new EndingStreams();
  const noted = { audit: parts.home.audit, clock: parts.clock, say: door.say };
  const context: Context = { parts, door, noted, find, streams, preconditions: new Preconditions() };
  const { metrics } = parts;
  function closed(this: ServerResponse): void {
    metrics.inFlight -= 1;
    metrics.answered(this.req.method ?? '', this.statusCode);
  }
  const nextId = createRequestIds();
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    metrics.inFlight += 1;
    response.setHeader('x-request-id', givenId(request) ?? nextId());
    response.on('close', closed);
    response.on('error', ignore);
    try {
      await answer(context, request, response);
    } catch (error) {
      if (!isGone(response, error)) sendError(response, toAnswer(error, { parts, door, response }));
    }
  };
}

/** A client that goes away in the middle is its own business. */
function ignore(): void {}

interface Context {
  readonly parts: HttpParts;
  readonly door: Door;
  readonly noted: NoteParts;
  readonly find: ReturnType<typeof createRouter>;
  readonly streams: EndingStreams;
  readonly preconditions: Preconditions;
}

/** What is made for each request here and below is written out: an object that is spread costs as much as the rest of it together. */
function answer(context: Context, request: IncomingMessage, response: ServerResponse): Promise<void> | void {
  const { parts, door, noted, find, streams } = context;
  const [path, query] = split(request.url ?? '');
  const found = find(request.method ?? '', path);
  const scope = found.kind === 'found' ? found.route.scope : 'any';
  const { refused, holder } = letIn(door, response, { scope, cost: costOf(found) });
  const note = found.kind === 'found' ? noteOf(noted, { found, holder, response }) : () => undefined;
  if (refused !== undefined) {
    note(refused.status);
    parts.metrics.refused += 1;
    return sendError(response, refused);
  }
  if (found.kind === 'no-such-path') return sendError(response, NO_SUCH_PATH);
  if (found.kind === 'wrong-method') {
    response.setHeader('allow', found.allow);
    if (request.method === 'OPTIONS') return void response.writeHead(204).end();
    return sendError(response, wrongMethod(found.allow));
  }
  const { route, id } = found;
  if ('answer' in route)
    return onRecord(note, answerJson({ context, route, id, path, query, note, holder }, request, response));
  if (route.contentType === EVENT_STREAM && holder !== undefined) streams.watch(response, holder);
  return route.respond({ parts, id, query: route.query && askedOf(route, query), request, response });
}

const EVENT_STREAM = 'text/event-stream';

function costOf(found: ReturnType<ReturnType<typeof createRouter>>): number {
  return found.kind === 'found' ? (found.route.cost ?? 1) : 1;
}

interface JsonCall {
  readonly context: Context;
  readonly route: JsonRoute;
  readonly id: string;
  readonly path: string;
  readonly query: string;
  readonly note: Note;
  readonly holder: Holder | undefined;
}

/** Whatever comes of a request that changes something. */
async function onRecord(note: Note, work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    note(failureOf(error)?.httpStatus ?? INTERNAL.status);
    throw error;
  }
}

async function answerJson(call: JsonCall, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { context, route, id, path, query, note } = call;
  const { parts, preconditions } = context;
  const asked = askedOf(route, query);
  const key = route.repeat === 'never' ? undefined : keyOf(request, path);
  const visit = visitOf(call, request, response);
  const body = route.body === undefined ? undefined : await readJson(request);
  if (body !== undefined && !('value' in body)) {
    note(body.status);
    return sendError(response, body);
  }
  const given = route.body === undefined ? undefined : checked(route.body, body?.value, 'body');
  const change = { request, path, current: () => currentOf(call, visit) };
  const work = (once?: Once) => {
    const carried = () => carryOut(route, { parts, visit, id, query: asked, body: given, once }, response);
    // What was done already is not judged again: its own change would speak against it.
    return once?.isKnown === true ? carried() : preconditions.carryOut(change, carried);
  };
  const done: Repeated =
    key === undefined
      ? { document: await work(), isRepeated: false }
      : await parts.repeats.answer({ route, key, print: printOf(query, body?.bytes) }, work);
  if ('refused' in done) {
    note(done.refused.status);
    return sendError(response, done.refused);
  }
  const { document, isRepeated } = done;
  const status = route.statusOf?.(document) ?? route.status ?? 200;
  note(status, document, isRepeated);
  // An answer that took long has begun already, and its head is gone.
  const isHeadOpen = !response.headersSent;
  if (isHeadOpen && route.location !== undefined) response.setHeader('location', route.location(document, id));
  if (isHeadOpen && isRepeated) response.setHeader('idempotency-replayed', 'true');
  await sendDocument(response, status, asSent(route, document));
}

function visitOf({ holder }: JsonCall, { headers }: IncomingMessage, response: ServerResponse): Visit {
  return {
    holder,
    header: (name) => String(headers[name] ?? ''),
    setCookie: (cookie) => void response.setHeader('set-cookie', cookie),
  };
}

function asSent({ bare }: JsonRoute, document: object): object {
  return bare === true ? document : { schemaVersion: SCHEMA_VERSION, ...document };
}

/** What GET gives at the path of a change; undefined where it gives no document. */
async function currentOf({ context: { parts, find }, path, id }: JsonCall, visit: Visit): Promise<object | undefined> {
  const found = find('GET', path);
  if (found.kind !== 'found' || !('answer' in found.route)) return undefined;
  const { route } = found;
  const call = { parts, visit, id, query: askedOf(route, ''), body: undefined, tell: unheard, signal: parts.signal };
  return asSent(route, await route.handle(call));
}

type QuickCall = Omit<Call<unknown, unknown>, 'tell' | 'signal'>;

async function carryOut(route: JsonRoute, call: QuickCall, response: ServerResponse): Promise<object> {
  if (route.tells !== undefined) return handleSlowly(route, call, response);
  const { parts, visit, id, query, body, once } = call;
  return route.handle({ parts, visit, id, query, body, once, tell: unheard, signal: parts.signal });
}

async function unheard(): Promise<void> {}

/** A client that goes away is a person who presses Ctrl-C: the work ends between two steps. */
async function handleSlowly(route: JsonRoute, call: QuickCall, response: ServerResponse): Promise<object> {
  using lines = new AnswerLines(response, route.status ?? 200);
  using first = firstSignal(call.parts.signal, lines.gone);
  return await route.handle({ ...call, signal: first.signal, tell: (step) => lines.step(step) });
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

function toAnswer(
  error: unknown,
  { parts, door, response }: Pick<Context, 'parts' | 'door'> & { readonly response: ServerResponse },
): ErrorAnswer {
  if (error instanceof Failure && error.httpStatus < 500) return failureAnswer(error, parts.home.path);
  if (parts.signal.aborted) return STOPPING;
  if (error instanceof Error && 'code' in error && error.code === 'ECONNRESET') return INTERNAL;
  const id = String(response.getHeader('x-request-id'));
  door.say(`The request ${id} failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  if (isNoSpace(error)) return NO_SPACE;
  const failure = failureOf(error);
  return failure === undefined ? INTERNAL : failureAnswer(failure, parts.home.path);
}

/** Also what SQLite says by itself, as while rows are read. Errors of other parts that nobody foresaw are not guessed at. */
function failureOf(error: unknown): Failure | undefined {
  if (error instanceof Failure) return error;
  const isOfStore = error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_');
  return isOfStore ? machineFailure(error) : undefined;
}

function split(url: string): [string, string] {
  const at = url.indexOf('?');
  return at === -1 ? [url, ''] : [url.slice(0, at), url.slice(at + 1)];
}

const EXPECTED = 'See what is expected: GET /openapi.json';
const NO_SUCH_PATH = refuse('no-such-path', 'There is nothing at this path.', 'See what there is: GET /openapi.json');
const NO_SPACE = refuse(
  'no-space',
  'There is no space left on the disk of the daemon. Nothing of this request was stored.',
  'What was stored before is safe. See there what can go: coppice plan',
);

/** What a client calls its request, so that both sides can find it in their logs. */
function givenId({ headers }: IncomingMessage): string | undefined {
  const given = headers['x-request-id'];
  return typeof given === 'string' && /^[\w.:-]{1,64}$/.test(given) ? given : undefined;
}

function createRequestIds(): () => string {
  const era = randomBytes(4).toString('hex');
  let number = 0;
  return () => `${era}-${(number += 1)}`;
}

function wrongMethod(allow: string): ErrorAnswer {
  return refuse('wrong-method', 'This path is not for this method.', `Use: ${allow}`);
}
