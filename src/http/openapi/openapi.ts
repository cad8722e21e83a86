import { z } from 'zod';
import { SCOPE_WORDS } from '../../core/access.ts';
import { type JsonRoute, jsonRoute, type Route } from '../route.ts';
import { eventSchema } from '../schemas/gateway-schemas.ts';
import { jsonSchema } from './json-schema.ts';
import { errorResponses, errorSchema, errorsOf, WAIT } from './openapi-errors.ts';
import { EXAMPLES, KEY_WORDS, MATCH_WORDS, PARAMETERS, TAGS } from './openapi-words.ts';

/** The route that describes all routes, made from the very schemas that requests go through. */
export function openapiRoute(others: readonly Route[]): Route {
  const itself: Route = jsonRoute({
    method: 'GET',
    path: '/openapi.json',
    scope: 'any',
    summary: 'This description.',
    answer: z.looseObject({ openapi: z.string() }),
    bare: true,
    handle: () => (document ??= openapiDocument([...others, itself])),
  });
  // Made when somebody asks: most daemons are never asked.
  let document: OpenapiDocument | undefined;
  return itself;
}

interface OpenapiDocument extends Readonly<Record<string, unknown>> {
  readonly openapi: string;
}

/** Everything there is to know about the routes, as OpenAPI 3.1. */
export function openapiDocument(routes: readonly Route[]): OpenapiDocument {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const methods = (paths[route.path] ??= {});
    methods[route.method.toLowerCase()] = operation(route);
  }
  const used = new Set(routes.map(tagOf));
  return withComponents({
    openapi: '3.1.0',
    info: {
      title: 'Coppice',
      version: '1',
      description: 'The same documents that `coppice --json` prints. Each carries `schemaVersion`.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The daemon that gave this description.' }],
    tags: Object.entries(TAGS)
      .filter(([name]) => used.has(name))
      .map(([name, description]) => ({ name, description })),
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer', description: TOKEN_WORDS } },
      schemas: { Event: jsonSchema(eventSchema) },
      responses: errorResponses(),
    },
    security: [{ token: [] }],
    paths,
  });
}

const TOKEN_WORDS = [
  'The token in the file that coppice serve names has all scopes. Others are made with coppice token create, with one or more of them:',
  ...Object.entries(SCOPE_WORDS).map(([scope, words]) => `\`${scope}\`: ${words}.`),
  'Each operation names the one that it needs.',
].join(' ');

/** Schemas that have a name stand once in the whole document, instead of once in every schema that uses them. */
function withComponents(document: object): OpenapiDocument {
  const named: Record<string, unknown> = {};
  const text = JSON.stringify(document).replaceAll('"#/$defs/', '"#/components/schemas/');
  const { components, ...rest } = JSON.parse(text, (key, value: unknown) => {
    if (key !== '$defs') return value;
    Object.assign(named, value);
    return undefined;
  }) as OpenapiDocument & { readonly components: { readonly schemas: object } };
  return { ...rest, components: { ...components, schemas: { ...components.schemas, ...named } } };
}

function operation(route: Route): object {
  const parameters = [...pathParameters(route), ...queryParameters(route), ...headerParameters(route)];
  const { body: example } = EXAMPLES[`${route.method} ${route.path}`] ?? {};
  return {
    operationId: operationId(route),
    tags: [tagOf(route)],
    summary: route.summary,
    security: securityOf(route),
    ...(parameters.length > 0 && { parameters }),
    ...('body' in route &&
      route.body !== undefined && { requestBody: { required: true, ...json(route.body, example) } }),
    responses: { ...answers(route), ...errorsOf(route) },
  };
}

/** Which scope the token must have, as a role: a bearer token of ours is none of OAuth. */
function securityOf({ scope }: Route): object[] {
  if (scope === 'none') return [];
  return [{ token: scope === 'any' ? [] : [scope] }];
}

/** The method and the words of the path: `GET /api/sessions/{id}/files` is `getSessionsIdFiles`. */
function operationId({ method, path }: Route): string {
  const words = path.replace(/^\/api\//, '/').split(/[^a-z]+/i);
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

function tagOf({ path }: Route): string {
  const [, name = ''] = /^\/api\/([a-z]+)/.exec(path) ?? [];
  return Object.hasOwn(TAGS, name) ? name : 'machine';
}

function answers(route: Route): object {
  const description = 'Done.';
  if (!('answer' in route)) return { 200: { description, content: { [route.contentType]: textOf(route) } } };
  const { answer: example } = EXAMPLES[`${route.method} ${route.path}`] ?? {};
  const { content } = json(route.bare === true ? route.answer : documentSchema(route.answer), example);
  const done = { description, content: { ...content, ...lines(route) } };
  if (route.statusOf === undefined) return { [route.status ?? 200]: done };
  return { 200: done, 503: { ...done, description: 'It cannot do its work now.', headers: WAIT } };
}

/** Of a stream of events it is known what each of them holds. */
function textOf({ contentType }: { readonly contentType: string }): object {
  if (contentType !== 'text/event-stream') return { schema: { type: 'string' } };
  const contentSchema = { $ref: '#/components/schemas/Event' };
  return { schema: { type: 'string', contentMediaType: 'application/json', contentSchema } };
}

/** What a client that accepts lines gets when the answer takes long. The last line has the answer, or the error. */
function lines({ answer, tells: step }: JsonRoute): object {
  if (step === undefined) return {};
  const last = [
    z.object({ answer: documentSchema(answer) }),
    z.object({ status: z.int(), ...errorSchema.shape }),
  ] as const;
  return { 'application/jsonl': { schema: jsonSchema(z.union([z.object({ step }), ...last])) } };
}

/** What is sent is the answer with the version of all documents. */
function documentSchema(answer: z.ZodType): z.ZodType {
  return z.intersection(answer, z.object({ schemaVersion: z.literal(1) }));
}

function pathParameters({ path }: Route): object[] {
  if (!path.includes('{id}')) return [];
  const description = 'Which one. An id may hold any character, encoded as in every URL.';
  return [{ name: 'id', in: 'path', required: true, description, schema: { type: 'string' } }];
}

function queryParameters({ query }: Route): object[] {
  if (!(query instanceof z.ZodObject)) return [];
  return Object.entries(query.shape).map(([name, schema]) => ({
    name,
    in: 'query',
    description: PARAMETERS[name],
    required: !isOptional(schema as z.ZodType),
    schema: jsonSchema(schema as z.ZodType),
  }));
}

/** What changes something may be sent twice by a client that lost the answer. */
function headerParameters({ method }: Route): object[] {
  if (method === 'GET') return [];
  const schema = { type: 'string', minLength: 1, maxLength: 255 };
  const key = { name: 'Idempotency-Key', in: 'header', description: KEY_WORDS, required: false, schema };
  const match = {
    name: 'If-Match',
    in: 'header',
    description: MATCH_WORDS,
    required: false,
    schema: { type: 'string' },
  };
  return method === 'POST' ? [key] : [key, match];
}

function isOptional(schema: z.ZodType): boolean {
  return schema._zod.optin === 'optional';
}

function json(schema: z.ZodType, example?: object) {
  return { content: { 'application/json': { schema: jsonSchema(schema), ...(example && { example }) } } };
}
