import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { createToken } from '../../src/app/access/token-files.ts';
import { Failure } from '../../src/core/failure.ts';
import { DAY_MS, MINUTE_MS } from '../../src/core/time.ts';
import { printOf, RepeatedRequests } from '../../src/http/server/repeated-requests.ts';
import { manualClock } from '../support/clock.ts';
import { collect } from '../support/collect.ts';
import { json, type Served, serveHome } from './serve-home.ts';

const PATIENCE = { timeout: 60_000 };

/** What some answers have in them. */
interface Given {
  readonly id: string;
  readonly session: { readonly id: string };
  readonly run: { readonly id: string };
}

/** The same request as often as wanted, under one key. */
function keyed({ ask }: Served, key: string) {
  return (path: string, body?: unknown, method = 'POST') => {
    const { headers, ...init } = body === undefined ? { method } : json(method, body);
    return ask(path, { ...init, headers: { ...(headers as Record<string, string>), 'idempotency-key': key } });
  };
}

async function twice(served: Served, path: string, body?: unknown, method = 'POST') {
  const send = keyed(served, `key of ${method} ${path}`);
  const first = await send(path, body, method);
  const answer: unknown = await first.json();
  const second = await send(path, body, method);
  expect([first.headers.get('idempotency-replayed'), second.headers.get('idempotency-replayed')]).toEqual([
    null,
    'true',
  ]);
  expect(second.status).toBe(first.status);
  expect(second.headers.get('location')).toBe(first.headers.get('location'));
  expect(await second.json()).toEqual(answer);
  return answer as Given;
}

const IMPORTED_AT = '2026-01-01T00:00:00.000Z';
const NOTHING = { iterations: 0, wallMs: 0 };
const HELLO = { messages: [{ role: 'user', content: 'hello' }] };

async function messagesOf({ client }: Served, id: string): Promise<number> {
  return (await collect(client.sessions.messages(id))).length;
}

describe('requests with a key', () => {
  it('bring in a session once, also where a daemon was killed before it could keep its answers', async () => {
    const served = await serveHome();
    const send = keyed(served, 'k');
    const again = async (path: string, body: unknown) => {
      const first = await send(path, body);
      // What a kill leaves: the effect, with what was noted in its transaction.
      const db = new BetterSqlite3(join(served.home.path, 'state.db'));
      db.exec(`DELETE FROM requests WHERE state <> 'noted'`);
      db.close();
      const second = await send(path, body);
      const said: unknown[] = [first.status, await first.json(), second.status, await second.json()];
      expect(said.slice(2), path).toEqual(said.slice(0, 2));
    };
    const facts = {
      source: 'elsewhere',
      startedAt: IMPORTED_AT,
      lastActiveAt: IMPORTED_AT,
      pinned: false,
      usageByModel: [],
    };
    await again('/api/imports', { id: 'i', ...facts });
    const message = { seq: 1, at: IMPORTED_AT, role: 'user', content: 'brought in' };
    await again('/api/imports/i/messages', { messages: [message] });
    await again('/api/imports/i/finish', facts);
    expect(await messagesOf(served, 'i')).toBe(1);
  });

  it('start a session, add messages and count what was used once', async () => {
    const served = await serveHome();
    const { id } = await twice(served, '/api/sessions', { source: 'api' });
    expect((await collect(served.client.sessions.list())).length).toBe(1);
    expect(await twice(served, `/api/sessions/${id}/messages`, HELLO)).toMatchObject({
      firstSeq: 1,
      lastSeq: 1,
    });
    expect(await messagesOf(served, id)).toBe(1);
    await twice(served, `/api/sessions/${id}/usage`, { model: 'm', inputTokens: 100 });
    expect(await served.client.sessions.get(id)).toMatchObject({ usage: { inputTokens: 100 } });
    expect((await served.client.usage('session')).spending).toMatchObject([{ tokens: 100 }]);
    const step = { tools: [{ name: 'bash', ok: false }], workedMs: 5000 };
    await twice(served, `/api/sessions/${id}/steps`, step);
    const [{ iterations, wallMs } = NOTHING] = (await served.client.usage('session')).spending;
    expect([iterations, Math.round(wallMs / 5000)]).toEqual([1, 1]);
    await twice(served, '/api/budget/corrections', { sessionId: id, tokens: 10, by: 'me', reason: 'false' });
    expect((await served.client.usage('session')).spending).toMatchObject([{ tokens: 90 }]);
  });

  it('give a key to one session, and end that one alone', async () => {
    const served = await serveHome();
    const wanted = { key: 'telegram:42', source: 'telegram' };
    const first = await twice(served, '/api/routes/resolve', wanted);
    expect(first).toMatchObject({ resolution: { kind: 'created' } });
    const { session } = first;
    await twice(served, `/api/sessions/${session.id}/messages`, HELLO);
    const reset = keyed(served, 'reset');
    expect((await reset('/api/routes/reset', { key: 'telegram:42' })).status).toBe(200);
    const { session: next } = await served.client.routes.resolve(wanted);
    expect(next.id).not.toBe(session.id);
    const again = await reset('/api/routes/reset', { key: 'telegram:42' });
    expect(await again.json()).toMatchObject({ session: { id: session.id } });
    expect((await served.client.sessions.get(next.id)).endedAt).toBeUndefined();
  });

  it('tell of messages that came twice once, and count them once', async () => {
    const served = await serveHome({ settings: [{ key: 'limits.messages', value: '3' }] });
    const { session } = await served.client.routes.resolve({ key: 'k', source: 'api' });
    const events: string[] = [];
    const ended = new AbortController();
    const following = (async () => {
      for await (const { kind, figures } of served.client.events({ signal: ended.signal })) {
        events.push(`${kind} ${JSON.stringify(figures)}`);
        if (kind === 'messages-added' && events.length === 2) ended.abort();
      }
    })();
    await setTimeout(200);
    await twice(served, `/api/sessions/${session.id}/messages`, HELLO);
    await served.client.sessions.append(session.id, [{ role: 'user', content: 'second' }]);
    await following;
    expect(events).toEqual(['messages-added {"count":1,"lastSeq":1}', 'messages-added {"count":1,"lastSeq":2}']);
  });

  it('carry out what is no single change once, and answer with what came of it', async () => {
    const served = await serveHome();
    const { id } = await served.client.sessions.create({ source: 'api' });
    await served.client.sessions.end(id, 'done');
    const { run } = await twice(served, `/api/sessions/${id}`, undefined, 'DELETE');
    expect((await collect(served.client.runs.list())).length).toBe(1);
    expect(await twice(served, `/api/runs/${run.id}/undo`, {})).toMatchObject({ done: 1 });
    const plan = await served.client.plans.make({ kind: 'delete', ids: [id] });
    await twice(served, `/api/plans/${plan.id}/apply`);
    expect((await collect(served.client.runs.list())).length).toBe(2);
  });

  it('are for one body, one path and one client', async () => {
    const served = await serveHome();
    const send = keyed(served, 'mine');
    expect((await send('/api/sessions', { source: 'one' })).status).toBe(201);
    const other = await send('/api/sessions', { source: 'two' });
    expect([other.status, await other.json()]).toMatchObject([422, { error: { code: 'key-reused' } }]);
    expect((await send('/api/routes/resolve', { key: 'k', source: 'one' })).status).toBe(200);
    expect((await collect(served.client.sessions.list())).length).toBe(2);
    for (const bad of ['x'.repeat(256), 'caf\u00e9'])
      expect((await keyed(served, bad)('/api/sessions', { source: 'one' })).status).toBe(400);
    // What only reads needs none, and is not refused for one.
    expect((await keyed(served, 'mine')('/api/sessions', undefined, 'GET')).status).toBe(200);
  });

  it('are told apart by who sent them, and by all that they ask for', async () => {
    const served = await serveHome();
    const { token } = createToken(served.home.path, { name: 'ci', scopes: ['append'], now: Date.now() });
    const { headers, ...init } = json('POST', { source: 'api' });
    const send = async (authorization: Readonly<Record<string, string>>) => {
      const sent = { ...(headers as Record<string, string>), 'idempotency-key': 'the same', ...authorization };
      const answer = await served.ask('/api/sessions', { ...init, headers: sent });
      return [answer.headers.get('idempotency-replayed'), ((await answer.json()) as Given).id] as const;
    };
    const ci = { authorization: `Bearer ${token}` };
    const [owner, other] = [await send({}), await send(ci)];
    expect([owner[0], other[0], owner[1] === other[1]]).toEqual([null, null, false]);
    expect([await send({}), await send(ci)]).toEqual([
      ['true', owner[1]],
      ['true', other[1]],
    ]);
    const body = Buffer.from('{}');
    expect(
      new Set([printOf('', body), printOf('a=1', body), printOf('a=2', body), printOf('a=1', undefined)]).size,
    ).toBe(4);
  });

  it('may be used again when nothing was done', async () => {
    const served = await serveHome();
    const send = keyed(served, 'mine');
    expect((await send('/api/sessions/none/messages', HELLO)).status).toBe(404);
    expect((await send('/api/sessions/none', undefined, 'DELETE')).status).toBe(404);
    await served.client.sessions.create({ id: 'none', source: 'api' });
    expect((await send('/api/sessions/none/messages', HELLO)).status).toBe(201);
    await served.client.sessions.end('none', 'done');
    expect((await send('/api/sessions/none', undefined, 'DELETE')).status).toBe(200);
  });

  it('are done once however many come at the same time', PATIENCE, async () => {
    const served = await serveHome();
    const { id } = await served.client.sessions.create({ source: 'api' });
    const all = Array.from({ length: 60 }, async (_, number) => {
      const send = keyed(served, `key ${number % 12}`);
      for (;;) {
        const { status, headers } = await send(`/api/sessions/${id}/messages`, HELLO);
        if (status === 201) return;
        expect([status, headers.get('retry-after')]).toEqual([409, '1']);
        await setTimeout(5);
      }
    });
    await Promise.all(all);
    expect(await messagesOf(served, id)).toBe(12);
  });

  it('begin nothing a second time of which nobody knows how far it came', async () => {
    const { home } = await serveHome();
    const request = { route: { repeat: 'once' }, key: 'k', print: 'p' } as const;
    const cutShort = async () => Promise.reject(new Error('the client is gone'));
    // Another daemon than the one that began it.
    await expect(new RepeatedRequests(home.requests).answer(request, cutShort)).rejects.toThrow('gone');
    const repeats = new RepeatedRequests(home.requests);
    const again = await repeats.answer(request, async () => ({ done: true }));
    expect(again).toMatchObject({ refused: { status: 409, code: 'answer-unknown' } });
    const refused = { ...request, key: 'refused' };
    const notNow = async () => Promise.reject(new Failure('locked', 'Another works here.'));
    await expect(repeats.answer(refused, notNow)).rejects.toThrow('Another works');
    expect(await repeats.answer(refused, async () => ({ done: true }))).toEqual({
      document: { done: true },
      isRepeated: false,
    });
    const long = { ...request, key: 'long' };
    await repeats.answer(long, async () => ({ text: 'x'.repeat(70_000) }));
    expect(await repeats.answer(long, async () => ({}))).toMatchObject({ refused: { code: 'answer-unknown' } });
  });

  it('are forgotten after a day, and not before', async () => {
    const clock = manualClock();
    const served = await serveHome({ clock });
    const send = keyed(served, 'mine');
    const first = (await (await send('/api/sessions', { source: 'api' })).json()) as { readonly id: string };
    await send(`/api/sessions/${first.id}/steps`, {});
    clock.advance(DAY_MS - MINUTE_MS);
    await served.server.releaseIdle();
    expect(await (await send('/api/sessions', { source: 'api' })).json()).toMatchObject({ id: first.id });
    clock.advance(2 * MINUTE_MS);
    await served.server.releaseIdle();
    expect(await (await send('/api/sessions', { source: 'api' })).json()).not.toMatchObject({ id: first.id });
    const step = await send(`/api/sessions/${first.id}/steps`, {});
    expect(step.headers.get('idempotency-replayed')).toBeNull();
  });
});
