import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Validator } from '@seriousme/openapi-schema-validator';
import { type Document, OpenAPIClientAxios } from 'openapi-client-axios';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { EXAMPLES, PARAMETERS } from '../../src/http/openapi/openapi-words.ts';
import type { JsonRoute } from '../../src/http/route.ts';
import { ROUTES } from '../../src/http/route-table.ts';
import { serveHome, TOKEN } from './serve-home.ts';

type Spec = Parameters<Validator['validate']>[0];

it('the description is valid by two validators, as it is served', async () => {
  const { ask } = await serveHome();
  const text = await (await ask('/openapi.json')).text();
  const { valid, errors } = await new Validator().validate(JSON.parse(text) as Spec);
  expect({ valid, errors }).toEqual({ valid: true, errors: undefined });
  const config = await createConfig({ extends: ['recommended-strict'] });
  const problems = await lintFromString({ source: text, absoluteRef: '/openapi.json', config });
  expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
});

it('every operation has a name of its own, a tag, and says what its parameters are', () => {
  for (const { query } of ROUTES) {
    if (query instanceof z.ZodObject)
      expect(Object.keys(PARAMETERS)).toEqual(expect.arrayContaining(Object.keys(query.shape)));
  }
});

it('examples are what the operations really take and give', () => {
  for (const [name, { body, answer }] of Object.entries(EXAMPLES)) {
    const route = ROUTES.find(({ method, path }) => `${method} ${path}` === name) as JsonRoute;
    if (body !== undefined) expect(() => z.parse(route.body ?? z.never(), body), name).not.toThrow();
    if (answer !== undefined) expect(() => z.parse(route.answer, answer), name).not.toThrow();
  }
});

it('a client that is made from the description works', async () => {
  const { ask, server } = await serveHome();
  const definition = (await (await ask('/openapi.json')).json()) as Document;
  const axiosConfigDefaults = { baseURL: server.url, headers: { authorization: `Bearer ${TOKEN}` } };
  const client = await new OpenAPIClientAxios({ definition, axiosConfigDefaults }).init();
  type Call = (parameters?: object | null, data?: object) => Promise<{ status: number; data: Record<string, unknown> }>;
  const calls = client as unknown as Readonly<Record<string, Call>>;
  const call = (operation: string): Call => calls[operation] ?? expect.fail(`There is no ${operation}.`);
  const made = await call('postSessions')(null, { id: 'a/b', source: 'api' });
  expect(made.status).toBe(201);
  await call('postSessionsIdMessages')({ id: 'a/b' }, { messages: [{ role: 'user', content: 'hello' }] });
  const { data } = await call('getSessionsIdMessages')({ id: 'a/b', limit: 1 });
  expect(data).toMatchObject({ messages: [{ seq: 1, content: 'hello' }] });
  expect((await call('getSessions')({ source: 'api' })).data).toMatchObject({ sessions: [{ id: 'a/b' }] });
  await expect(call('getSessionsId')({ id: 'nothing' })).rejects.toMatchObject({ response: { status: 404 } });
});
