import { z } from 'zod';
import { ERROR_CODES } from '../refusal.ts';
import type { Route } from '../route.ts';
import { jsonSchema } from './json-schema.ts';

const error = z.object({ code: z.enum(ERROR_CODES), message: z.string(), hint: z.string().exactOptional() });

export const errorSchema = z.object({ error }).meta({ id: 'Error' });

/** The same for a client that accepts the details of a problem, as RFC 9457 has them. */
const problemDetailsSchema = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    hint: z.string().exactOptional(),
    instance: z.string(),
    error,
  })
  .meta({ id: 'ProblemDetails' });

/** Why a request may fail, by status. */
const MEANINGS = {
  400: 'The request is not as this description says; `message` names the place.',
  401: 'There is no token, or not the right one.',
  403: 'The token lacks the scope that is needed, or the request comes from a page of another site or is meant for another machine.',
  404: 'There is no such thing.',
  409: 'Refused to protect data, or because something else is going on, such as the first request with the same Idempotency-Key.',
  412: 'What lies at the path has another tag than `If-Match` names. Nothing was done.',
  413: 'The body is too large.',
  415: 'The body is not JSON.',
  422: 'The configuration is not valid, or another request came with this Idempotency-Key.',
  429: 'Too many requests from this client.',
  500: 'Something went wrong on the side of Coppice; its log says more.',
  503: 'The daemon is stopping.',
  507: 'There is no space left on the disk of the daemon. Nothing was stored.',
} as const;

type Status = keyof typeof MEANINGS;

export const WAIT = {
  'Retry-After': { description: 'In so many seconds it may go well.', schema: { type: 'integer' } },
};
const HEADERS: Partial<Record<Status, object>> = {
  401: { 'WWW-Authenticate': { description: 'What kind of token is wanted.', schema: { type: 'string' } } },
  429: WAIT,
  503: WAIT,
};

/** Every answer that says no, for all operations to refer to. */
export function errorResponses(): object {
  const content = {
    'application/json': { schema: jsonSchema(errorSchema) },
    'application/problem+json': { schema: jsonSchema(problemDetailsSchema) },
  };
  const responses = Object.entries(MEANINGS).map(([status, description]) => {
    const headers = HEADERS[Number(status) as Status];
    return [`Error${status}`, { description, ...(headers && { headers }), content }];
  });
  return Object.fromEntries(responses) as object;
}

/** How an operation may fail. */
export function errorsOf(route: Route): object {
  if (route.scope === 'none') return { ...(route.method !== 'GET' && { 409: refer(409) }), 429: refer(429) };
  const body: Status[] = 'body' in route && route.body !== undefined ? [413, 415] : [];
  const changes: Status[] = route.method === 'GET' ? [] : [409, 412, 422, 507];
  const named: Status[] = route.path.includes('{id}') ? [404] : [];
  const all: Status[] = [400, 401, 403, ...named, ...changes, ...body, 429, 500, 503];
  return Object.fromEntries(all.map((status) => [status, refer(status)]));
}

function refer(status: Status): object {
  return { $ref: `#/components/responses/Error${status}` };
}
