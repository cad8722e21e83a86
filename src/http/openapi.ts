import { z } from 'zod';
import { ERROR_CODES } from './refusal.ts';
import { type JsonRoute, jsonRoute, type Route } from './route.ts';
import { eventSchema } from './schemas/gateway-schemas.ts';

export const errorSchema = z
  .object({
    error: z.object({ code: z.enum(ERROR_CODES), message: z.string(), hint: z.string().exactOptional() }),
  })
  .meta({ id: 'Error' });

/** The route that describes all routes, made from the very schemas that requests go through. */
export function openapiRoute(others: readonly Route[]): Route {
  const itself: Route = jsonRoute({
    method: 'GET',
    path: '/openapi.json',
    summary: 'This description.',
    answer: z.looseObject({ openapi: z.string() }),
    handle: () => (document ??= openapiDocument([...others, itself])),
  });
  // Made when somebody asks: most daemons are never asked.
  let document: object | undefined;
  return itself;
}

/** Everything there is to know about the routes, as OpenAPI 3.1. */
export function openapiDocument(routes: readonly Route[]) {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const methods = (paths[route.path] ??= {});
    methods[route.method.toLowerCase()] = operation(route);
  }
  return withComponents({
    openapi: '3.1.0',
    info: {
      title: 'Coppice',
      version: '1',
      description: 'The same documents that `coppice --json` prints. Each carries `schemaVersion`.',
    },
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: { Event: jsonSchema(eventSchema) },
    },
    security: [{ token: [] }],
    paths,
  });
}

/** Schemas that have a name stand once in the whole document, instead of once in every schema that uses them. */
function withComponents(document: object): object {
  const named: Record<string, unknown> = {};
  const text = JSON.stringify(document).replaceAll('"#/$defs/', '"#/components/schemas/');
  const { components, ...rest } = JSON.parse(text, (key, value: unknown) => {
    if (key !== '$defs') return value;
    Object.assign(named, value);
    return undefined;
  }) as { readonly components: { readonly schemas: object } };
  return { ...rest, components: { ...components, schemas: { ...components.schemas, ...named } } };
}

function operation(route: Route): object {
  const parameters = [...pathParameters(route), ...queryParameters(route)];
  return {
    summary: route.summary,
    ...(route.open === true && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...('body' in route && route.body !== undefined && { requestBody: { required: true, ...json(route.body) } }),
    responses: { ...answers(route), default: { description: 'An error.', ...json(errorSchema) } },
  };
}

function answers(route: Route): object {
  const description = 'Done.';
  if (!('answer' in route)) return { 200: { description, content: { [route.contentType]: {} } } };
  const { content } = json(documentSchema(route.answer));
  return { [route.status ?? 200]: { description, content: { ...content, ...lines(route) } } };
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
  return [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }];
}

function queryParameters({ query }: Route): object[] {
  if (!(query instanceof z.ZodObject)) return [];
  return Object.entries(query.shape).map(([name, schema]) => ({
    name,
    in: 'query',
    required: !isOptional(schema as z.ZodType),
    schema: jsonSchema(schema as z.ZodType),
  }));
}

function isOptional(schema: z.ZodType): boolean {
  return schema._zod.optin === 'optional';
}

function json(schema: z.ZodType) {
  return { content: { 'application/json': { schema: jsonSchema(schema) } } };
}

function jsonSchema(schema: z.ZodType): object {
  const { $schema: _, ...described } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return described;
}
