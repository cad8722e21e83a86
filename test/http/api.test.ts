import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { planDocument } from '../../src/app/documents/plan-document.ts';
import { MINUTE_MS } from '../../src/core/time.ts';
import { errorSchema } from '../../src/http/openapi/openapi-errors.ts';
import type { JsonRoute } from '../../src/http/route.ts';
import { ROUTES } from '../../src/http/route-table.ts';
import { tempDir } from '../support/temp-dir.ts';
import { describedRoutes, json, type Served, serveHome, withId } from './serve-home.ts';

/** Asks a route and holds its answer to what the route itself promises: every field described, and nothing beside. */
function caller({ ask }: Served) {
  const asked = new Set<string>();
  const call = async (
    method: string,
    path: `/${string}`,
    { id = '', query = '', body, headers: more }: CallOptions = {},
  ) => {
    const route = ROUTES.find((one) => one.method === method && one.path === path) as JsonRoute;
    asked.add(`${method} ${path}`);
    const { headers, ...init } = body === undefined ? { method } : json(method, body);
    const accept = { accept: 'application/jsonl' };
    const response = await ask(withId(path, id) + query, { ...init, headers: { ...headers, ...accept, ...more } });
    const { schemaVersion, ...document } = await lastLine(response, route);
    expect({ status: response.status, schemaVersion, document }).toMatchObject({ status: route.status ?? 200 });
    expect(schemaVersion).toBe(route.bare === true ? undefined : 1);
    expect(z.parse(route.answer, document)).toEqual(document);
    return document as Record<string, unknown> & { readonly id: string };
  };
  return { call, asked };
}

/** Routes that tell of their steps promise those too. */
async function lastLine(response: Response, { tells }: JsonRoute): Promise<Record<string, unknown>> {
  const lines = (await response.text()).trimEnd().split('\n');
  const last = JSON.parse(lines.pop() ?? '') as Record<string, unknown>;
  if (response.headers.get('content-type') !== 'application/jsonl') return last;
  for (const line of lines) {
    const { step } = JSON.parse(line) as { step: unknown };
    expect(z.parse(tells ?? z.never(), step)).toEqual(step);
  }
  expect(Object.keys(last)).toEqual(['answer']);
  return last['answer'] as Record<string, unknown>;
}

interface CallOptions {
  readonly id?: string;
  readonly query?: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

describe('the HTTP API', () => {
  it('answers every route as its description says', async () => {
    const served = await serveHome({
      settings: [{ key: 'cron.jobs', value: '{report: {schedule: "0 7 * * *", command: ["true"]}}' }],
    });
    const { call, asked } = caller(served);
    await callSessions(call);
    await callGateway(call, served);
    await callRuns(call, served);
    await callCheckpoints(call, served);
    await callImports(call, served);
    await callUpkeep(call, served);
    for (const path of [
      '/api/home',
      '/api/ledger',
      '/api/ledger/totals',
      '/api/usage/totals',
      '/api/config',
      '/api/config/check',
      '/healthz',
      '/readyz',
      '/openapi.json',
    ] as const)
      await call('GET', path);
    const made = await call('POST', '/api/sign-in-links', {});
    const link = String(made['path']).replace('/#sign-in=', '');
    await call('POST', '/api/sign-in', { headers: { 'x-coppice-link': link } });
    await call('POST', '/api/sign-out', {});
    expect((await served.ask('/metrics')).headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    const raw = ['GET /metrics', 'GET /api/events', 'GET /api/checkpoints/{id}/diff/text'];
    expect([...asked, ...raw].toSorted()).toEqual(ROUTES.map(({ method, path }) => `${method} ${path}`).toSorted());
    expect(served.said).toEqual([]);
  });

  it('describes all of its routes in one OpenAPI document', async () => {
    const described = await describedRoutes(await serveHome());
    expect(described.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual(
      ROUTES.map(({ method, path }) => `${method} ${path}`).toSorted(),
    );
  });

  it('refers to nothing in its description that is not there', async () => {
    const { ask } = await serveHome();
    const text = await (await ask('/openapi.json')).text();
    const { components } = JSON.parse(text) as {
      components: Record<'schemas' | 'responses', Record<string, object>>;
    };
    const there = new Set(
      Object.entries(components).flatMap(([sort, each]) =>
        Object.keys(each).map((name) => `#/components/${sort}/${name}`),
      ),
    );
    const names = [...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, to = '']) => to);
    expect(new Set(names)).toContain('#/components/schemas/Session');
    expect(names.filter((name) => !there.has(name))).toEqual([]);
    expect(text).toContain('"name":"q","in":"query","description":"Words, ');
    expect(text).toContain(
      '"name":"limit","in":"query","description":"How many one answer holds at most.","required":false',
    );
  });

  it('gives every session once when nothing changes, however small the pages are', async () => {
    const { home, client, ask } = await serveHome();
    const ids: string[] = [];
    for (let n = 0; n < 7; n += 1) ids.push((await home.sessions.create({ source: 'api', startedAt: 1000 })).id);
    for (const limit of [1, 2, 3, 7, 8]) {
      const seen: string[] = [];
      let query = `?limit=${limit}`;
      for (let more = true; more; ) {
        const page = (await (await ask(`/api/sessions${query}`)).json()) as {
          sessions: { id: string }[];
          next?: string;
        };
        expect(page.sessions.length).toBeLessThanOrEqual(limit);
        seen.push(...page.sessions.map(({ id }) => id));
        query = `?limit=${limit}&cursor=${page.next}`;
        more = page.next !== undefined;
      }
      expect(seen.toSorted()).toEqual(ids.toSorted());
    }
    const listed: string[] = [];
    for await (const { id } of client.sessions.list({ limit: 3 })) listed.push(id);
    expect(listed).toHaveLength(3);
  });

  it('gives messages back exactly, page by page, whatever they hold', async () => {
    const { client } = await serveHome();
    const { id } = await client.sessions.create({ source: 'api', id: '../../etc/passwd' });
    const contents = [
      'plain',
      '\u0000 \u2028 😀',
      '',
      [{ type: 'text', text: 'part', __proto__x: { deep: [1, null] } }],
    ];
    const messages = contents.map((content) => ({ role: 'user' as const, content, metadata: { n: [1, { a: 'b' }] } }));
    expect(await client.sessions.append(id, messages)).toMatchObject({ firstSeq: 1, lastSeq: 4 });
    const read: unknown[] = [];
    for await (const { content, metadata } of client.sessions.messages(id)) read.push({ content, metadata });
    expect(read).toEqual(messages.map(({ content, metadata }) => ({ content, metadata })));
    const last: number[] = [];
    for await (const { seq } of client.sessions.messages(id, { last: 2 })) last.push(seq);
    expect(last).toEqual([3, 4]);
  });

  it('says with each append when a conversation comes near its limit and is full, and nothing of other sessions', async () => {
    const { client, home } = await serveHome({ settings: [{ key: 'limits.messages', value: '5' }] });
    const said = (id: string, count: number) => {
      return client.sessions.append(
        id,
        Array.from({ length: count }, () => ({ role: 'user', content: 'hello' })),
      );
    };
    const { session } = await client.routes.resolve({ key: 'telegram:42', source: 'telegram' });
    expect(await said(session.id, 3)).not.toHaveProperty('verdict');
    expect((await said(session.id, 1)).verdict).toMatchObject({ kind: 'warn', causes: [{ used: 4, limit: 5 }] });
    expect((await said(session.id, 1)).verdict).toMatchObject({
      kind: 'reset',
      causes: [{ rule: 'messages', used: 5 }],
    });
    // Whoever does not listen cannot go on.
    await expect(said(session.id, 1)).rejects.toMatchObject({ code: 'refused' });
    expect(await client.sessions.get(session.id)).toMatchObject({ messageCount: 5, endReason: 'reset: messages' });
    expect(await home.gateway.resetIdle()).toEqual([]);
    const fresh = await client.routes.resolve({ key: 'telegram:42', source: 'telegram' });
    expect(fresh.session).toMatchObject({ parentId: session.id });
    const { id } = await client.sessions.create({ source: 'api' });
    expect(await said(id, 6)).not.toHaveProperty('verdict');
  });

  it('lists every key however many pages that takes, all or those of one source', async () => {
    const { client, home } = await serveHome();
    const keys = Array.from({ length: 25 }, (_, n) => `k${String(n).padStart(2, '0')}`);
    for (const [n, key] of keys.entries())
      await home.gateway.resolve({ key, source: n % 5 === 0 ? 'telegram' : 'cli' });
    const listed = async (source?: string) => {
      const found: string[] = [];
      // Pages of four, so that there are many.
      for (let after: string | undefined, more = true; more; more = after !== undefined) {
        const page = await client.call('GET /api/routes', { query: { limit: 4, source, after } });
        found.push(...page.routes.map(({ key }) => key));
        expect(found.length).toBeLessThanOrEqual(keys.length);
        after = page.next;
      }
      return found;
    };
    expect(await listed()).toEqual(keys);
    expect(await listed('telegram')).toEqual(['k00', 'k05', 'k10', 'k15', 'k20']);
    expect(await listed('nobody')).toEqual([]);
  });

  it('stops a conversation that is flooded, but not one that brings what was said earlier', async () => {
    const { client } = await serveHome({ settings: [{ key: 'guards.messages_per_minute', value: '10' }] });
    const said = (id: string, count: number, ago?: number) => {
      const at = ago === undefined ? {} : { at: new Date(Date.now() - ago).toISOString() };
      const messages = Array.from({ length: count }, () => ({ role: 'user', content: 'hello', ...at }) as const);
      return client.sessions.append(id, messages);
    };
    const { session } = await client.routes.resolve({ key: 'telegram:42', source: 'telegram' });
    expect(await said(session.id, 100, MINUTE_MS)).not.toHaveProperty('verdict');
    expect(await said(session.id, 7)).not.toHaveProperty('verdict');
    expect(await said(session.id, 1, 0)).toMatchObject({ verdict: { kind: 'warn', causes: [{ used: 8 }] } });
    expect(await said(session.id, 2)).toMatchObject({
      verdict: { kind: 'stop', causes: [{ rule: 'messages-per-minute', used: 10, limit: 10 }] },
    });
    expect(await client.sessions.get(session.id)).toMatchObject({
      endReason: 'guard: messages-per-minute (session) 10 of 10',
      messageCount: 110,
    });
    await expect(said(session.id, 1)).rejects.toMatchObject({ code: 'refused' });
    await client.sessions.resume(session.id);
    expect(await said(session.id, 1)).not.toHaveProperty('verdict');
    const { id } = await client.sessions.create({ source: 'api' });
    expect(await said(id, 20)).not.toHaveProperty('verdict');
  });

  it('counts what is used towards budgets, and ends a session that has used them up', async () => {
    const { client, home } = await serveHome({
      settings: [{ key: 'budgets.source', value: '{"bot":{"tokens":1000}}' }],
    });
    const { session } = await client.routes.resolve({ key: 'bot:1', source: 'bot' });
    const { id } = await client.sessions.create({ source: 'bot' });
    const use = (sessionId: string, inputTokens: number) =>
      client.sessions.recordUsage(sessionId, { model: 'm', inputTokens });
    expect(await use(session.id, 500)).not.toHaveProperty('verdict');
    expect(await use(id, 400)).toMatchObject({ usageByModel: [{ inputTokens: 400 }], verdict: { kind: 'warn' } });
    expect(await use(id, 100)).toMatchObject({ verdict: { kind: 'stop', causes: [{ scope: 'source', used: 1000 }] } });
    expect(await client.sessions.get(id)).toMatchObject({ endReason: 'budget: tokens (source) 1000 of 1000' });
    expect(await home.gateway.spend('source')).toMatchObject([{ key: 'bot', used: { tokens: 1000 } }]);
  });

  it('judges every step that a client asks for, and ends a session that may take no more', async () => {
    const { client, home } = await serveHome({ settings: [{ key: 'budgets.session.iterations', value: '5' }] });
    const { session } = await client.routes.resolve({ key: 'bot:1', source: 'bot' });
    const kinds: string[] = [];
    for (let asked = 0; asked < 6; asked += 1) kinds.push((await client.sessions.step(session.id)).verdict.kind);
    expect(kinds).toEqual(['ok', 'ok', 'ok', 'ok', 'warn', 'stop']);
    expect(await home.gateway.spend('session')).toMatchObject([{ key: session.id, used: { iterations: 5 } }]);
    expect(await client.sessions.get(session.id)).toMatchObject({ endReason: 'budget: iterations (session) 5 of 5' });
    await expect(client.sessions.step(session.id)).rejects.toMatchObject({ code: 'refused' });
    await expect(client.sessions.step('nobody')).rejects.toMatchObject({ code: 'not-found' });
  });

  it('counts the time that a client says it has worked, also when that was too much', async () => {
    const { client, home } = await serveHome({ settings: [{ key: 'budgets.session.minutes', value: '1' }] });
    const { id } = await client.sessions.create({ source: 'bot' });
    expect(await client.sessions.step(id, { workedMs: 30_000 })).toMatchObject({ verdict: { kind: 'ok' } });
    expect(await client.sessions.step(id, { workedMs: 40_000 })).toMatchObject({
      verdict: { kind: 'stop', causes: [{ rule: 'wallMs' }] },
    });
    const [spend] = await home.gateway.spend('session');
    expect(spend?.used.iterations).toBe(1);
    expect(spend?.used.wallMs).toBeGreaterThanOrEqual(70_000);
  });

  it('guards a client by the tools that it says have run, side by side or one after the other', async () => {
    const { client } = await serveHome();
    const { id } = await client.sessions.create({ source: 'bot' });
    const failed = { name: 'bash', ok: false };
    const step = async (...tools: readonly { name: string; ok: boolean; args?: { path: string } }[]) =>
      (await client.sessions.step(id, { tools: [...tools] })).verdict;
    expect(await step(failed, failed)).toMatchObject({ kind: 'ok' });
    expect(await step(failed)).toMatchObject({ kind: 'nudge', causes: [{ rule: 'tool-errors', used: 3 }] });
    // In whatever order the results of one step are told, its success came before its errors.
    expect(await step(failed, { name: 'read', ok: true })).toMatchObject({ kind: 'ok' });
    const same = { name: 'read', ok: true, args: { path: 'a' } };
    expect(await step(same, same, same)).toMatchObject({ kind: 'nudge', causes: [{ rule: 'repeated-calls' }] });
    expect(await step(...Array.from({ length: 9 }, () => failed))).toMatchObject({ kind: 'stop' });
    expect(await client.sessions.get(id)).toMatchObject({ endReason: 'guard: tool-errors (session) 9 of 9' });
  });

  it('stores all of a batch or none of it', async () => {
    const { client, ask } = await serveHome();
    const { id } = await client.sessions.create({ source: 'api' });
    const wrong = {
      messages: [
        { role: 'user', content: 'first' },
        { role: 'nobody', content: 'second' },
      ],
    };
    const response = await ask(`/api/sessions/${id}/messages`, json('POST', wrong));
    expect(response.status).toBe(400);
    expect(z.parse(errorSchema, await response.json()).error.message).toContain('body.messages.1.role');
    expect((await client.sessions.get(id)).messageCount).toBe(0);
  });

  it('says failures with their status and never where the home is', async () => {
    const { client, ask, home } = await serveHome();
    const missing = await ask('/api/sessions/nothing');
    expect(missing.status).toBe(404);
    expect(await missing.json()).toMatchObject({ error: { code: 'not-found', hint: expect.any(String) as string } });
    const { id } = await client.sessions.create({ source: 'api' });
    await client.sessions.end(id, 'done');
    await expect(client.sessions.append(id, [{ role: 'user', content: 'late' }])).rejects.toMatchObject({
      code: 'refused',
    });
    const inside = await ask('/api/checkpoints', json('POST', { workdir: home.path }));
    expect(inside.status).toBe(409);
    expect(await inside.text()).not.toContain(home.path);
  });
});

type Calling = ReturnType<typeof caller>['call'];

async function callSessions(call: Calling): Promise<void> {
  const { id } = await call('POST', '/api/sessions', { body: { source: 'api', title: 'A title', tags: ['one'] } });
  await call('GET', '/api/sessions/{id}', { id });
  await call('PATCH', '/api/sessions/{id}', { id, body: { title: 'Another', pinned: true, addTags: ['two'] } });
  const messages = [
    { role: 'user', content: 'What about needles?', at: '2026-01-02T03:04:05.000Z' },
    { role: 'assistant', content: '', toolCalls: [{ id: 'c', name: 'bash', arguments: { command: 'ls' } }] },
    { role: 'tool', content: [{ type: 'text', text: 'x' }], toolCallId: 'c', name: 'bash', failed: true, metadata: {} },
  ];
  await call('POST', '/api/sessions/{id}/messages', { id, body: { messages } });
  await call('POST', '/api/sessions/{id}/usage', { id, body: { model: 'm', inputTokens: 3, costUsd: 0.5 } });
  await call('POST', '/api/sessions/{id}/steps', { id, body: { tools: [{ name: 'bash', ok: true }], workedMs: 5 } });
  await call('GET', '/api/sessions/{id}/messages', { id, query: '?from=1&limit=2' });
  await call('GET', '/api/search', { query: '?q=needles&since=2020-01-01T00:00:00Z' });
  await call('GET', '/api/short-ids', { query: `?id=${id}&id=other` });
  await call('POST', '/api/sessions/{id}/end', { id, body: { reason: 'done' } });
  await call('POST', '/api/end-crashed', { body: {} });
  await call('POST', '/api/sessions/{id}/resume', { id });
  const gone = await call('POST', '/api/sessions', { body: { source: 'api' } });
  await call('POST', '/api/sessions/{id}/end', { id: gone.id, body: { reason: 'done' } });
  await call('DELETE', '/api/sessions/{id}', { id: gone.id });
  await call('GET', '/api/sessions', { query: '?source=api&active=true&sort=bytes&since=2020-01-01T00:00:00Z' });
}

async function callGateway(call: Calling, { home }: Served): Promise<void> {
  const body = { key: 'telegram:42/a b', source: 'telegram' };
  await call('POST', '/api/routes/resolve', { body });
  await call('POST', '/api/routes/reset', { body: { key: body.key } });
  await call('POST', '/api/routes/resolve', { body });
  await call('GET', '/api/routes', { query: '?limit=5&source=telegram' });
  await call('GET', '/api/usage', { query: '?by=source' });
  await call('GET', '/api/budget');
  await call('GET', '/api/audit');
  const session = await home.sessions.create({ source: 'telegram' });
  await session.recordUsage({ model: 'm', inputTokens: 1 });
  const { id } = session;
  const correction = { sessionId: id, tokens: 1, by: 'somebody', reason: 'counted twice' };
  await call('POST', '/api/budget/corrections', { body: correction });
  await call('GET', '/api/cron');
  await call('GET', '/api/cron/{id}/next', { id: 'report', query: '?count=2' });
  await call('POST', '/api/cron/{id}/run', { id: 'report' });
  await (await home.scheduler()).add('other', { schedule: '0 7 * * *', command: ['true'] });
  await call('POST', '/api/cron/{id}/remove', { id: 'other' });
}

async function callRuns(call: Calling, { home }: Served): Promise<void> {
  const session = await home.sessions.create({ source: 'old' });
  await session.append({ role: 'user', content: 'words' });
  await session.end('done');
  await home.apply(await home.plan({ kind: 'archive', filter: { source: 'old' }, before: Date.now() + 1000 }));
  await call('GET', '/api/archive');
  expect(await call('GET', '/api/archive/{id}/prompts', { id: session.id })).toMatchObject({ prompts: 'words' });
  await call('POST', '/api/archive/restore', { body: { ids: [session.id] } });
  const plan = await call('POST', '/api/plans', { body: { request: { kind: 'delete', ids: [session.id] } } });
  await call('GET', '/api/plans/{id}', { id: plan.id });
  const kept = await call('POST', '/api/plans', { body: { request: { kind: 'delete', ids: [session.id] } } });
  await call('POST', '/api/plans/{id}/narrow', { id: kept.id, body: { ids: [session.id] } });
  const { run, done } = await call('POST', '/api/plans/{id}/apply', { id: plan.id });
  expect(done).toBe(1);
  const { id } = run as { id: string };
  await call('GET', '/api/runs', { query: '?limit=1' });
  await call('GET', '/api/runs/{id}', { id });
  await call('POST', '/api/runs/{id}/undo', { id, body: {} });
  expect(await home.sessions.get(session.id)).toMatchObject({ messageCount: 1 });
  expect(await call('POST', '/api/runs/{id}/empty', { id, body: {} })).toMatchObject({ items: 0, skipped: 0 });
  const sent = planDocument(await home.plan({ kind: 'delete', ids: [session.id] }));
  expect(await call('POST', '/api/plans/apply', { body: sent })).toMatchObject({ done: 1, skipped: 0 });
}

async function callImports(call: Calling, { home }: Served): Promise<void> {
  const facts = {
    source: 'import',
    startedAt: '2026-01-02T03:04:05.000Z',
    lastActiveAt: '2026-01-02T03:04:06.000Z',
    pinned: false,
    usageByModel: [],
  };
  const id = '../brought/in';
  await call('POST', '/api/imports', { body: { id, ...facts } });
  const messages = [{ role: 'user', content: 'before', seq: 1, at: facts.startedAt }];
  await call('POST', '/api/imports/{id}/messages', { id, body: { messages } });
  expect(await home.sessions.get(id)).toBeUndefined();
  await call('POST', '/api/imports/{id}/finish', { id, body: facts });
  expect(await home.sessions.get(id)).toMatchObject({ messageCount: 1, source: 'import' });
  await call('POST', '/api/imports', { body: { ...facts, id: 'left' } });
  await call('POST', '/api/imports/{id}/abandon', { id: 'left' });
}

async function callUpkeep(call: Calling, { home }: Served): Promise<void> {
  const { id } = await home.sessions.create({ source: 'api', title: 'Large' });
  await call('GET', '/api/sessions/{id}/files', { id: '../brought/in' });
  await call('GET', '/api/status');
  await call('GET', '/api/stats');
  await call('GET', '/api/explain/{id}', { id });
  await call('GET', '/api/check');
  chmodSync(home.path, 0o755);
  await call('POST', '/api/repair', { body: {} });
  expect(statSync(home.path).mode & 0o777).toBe(0o700);
  await call('POST', '/api/maintain', { body: { auto: true } });
  await call('POST', '/api/maintain', { body: {} });
  await call('POST', '/api/maintain/hold', { body: { held: true } });
  await call('GET', '/api/status');
  await call('POST', '/api/maintain', { body: {} });
  await call('POST', '/api/maintain/hold', { body: { held: false } });
}

async function callCheckpoints(call: Calling, { ask }: Served): Promise<void> {
  const workdir = join(tempDir(), 'project');
  mkdirSync(workdir);
  writeFileSync(join(workdir, 'a.txt'), 'one\n');
  const { id } = await call('POST', '/api/checkpoints', { body: { workdir, reason: 'first' } });
  writeFileSync(join(workdir, 'a.txt'), 'two\n');
  await call('GET', '/api/checkpoints', { query: `?workdir=${encodeURIComponent(workdir)}` });
  await call('GET', '/api/checkpoints/{id}', { id });
  await call('PATCH', '/api/checkpoints/{id}', { id, body: { pinned: true } });
  await call('GET', '/api/checkpoints/{id}/diff', { id });
  await call('GET', '/api/checkpoints/{id}/diff', { id, query: '?path=a.txt&path=b.txt' });
  expect(await (await ask(`/api/checkpoints/${id}/diff/text?path=a.txt`)).text()).toContain('+two');
  expect((await ask('/api/checkpoints/00000000/diff/text')).status).toBe(404);
  await call('GET', '/api/checkpoints/status');
  await call('GET', '/api/checkpoints/verify');
  await call('POST', '/api/checkpoints/reclaim', { body: {} });
  await call('POST', '/api/checkpoints/{id}/restore', { id, body: { dryRun: true } });
  await call('POST', '/api/checkpoints/{id}/restore', { id, body: { paths: ['a.txt'] } });
}
