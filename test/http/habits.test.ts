import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tempDir } from '../support/temp-dir.ts';
import { json, type Served, serveHome, TOKEN } from './serve-home.ts';

const PATIENCE = { timeout: 30_000 };

/** As the bytes come, which fetch would unpack. */
async function raw({ server }: Served, path: string, headers: Record<string, string> = {}) {
  const sent = request(`${server.url}${path}`, { headers: { authorization: `Bearer ${TOKEN}`, ...headers } }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return { headers: response.headers, body: Buffer.concat(chunks), status: response.statusCode };
}

describe('the API', () => {
  it('answers HEAD like GET without a body, and OPTIONS with what there is', async () => {
    const { ask, server } = await serveHome();
    for (const path of ['/healthz', '/readyz']) {
      const head = await fetch(`${server.url}${path}`, { method: 'HEAD' });
      expect([head.status, await head.text()]).toEqual([200, '']);
    }
    expect((await ask('/api/sessions', { method: 'HEAD' })).status).toBe(200);
    expect((await ask('/api/events', { method: 'HEAD' })).headers.get('content-type')).toBe('text/event-stream');
    expect((await ask('/api/sessions/x', { method: 'HEAD' })).status).toBe(404);
    const options = await ask('/api/sessions', { method: 'OPTIONS' });
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, HEAD, POST, OPTIONS']);
  });

  it('takes the name of the scheme in any case, and says what it wants when there is none', async () => {
    const { ask } = await serveHome();
    for (const scheme of ['bearer', 'BEARER', 'Bearer'])
      expect((await ask('/api/sessions', { headers: { authorization: `${scheme} ${TOKEN}` } })).status).toBe(200);
    const refused = await ask('/api/sessions', { headers: { authorization: 'nothing' } });
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="coppice"']);
    const wrong = await ask('/api/sessions', { headers: { authorization: `bearer ${'x'.repeat(43)}` } });
    expect(wrong.headers.get('www-authenticate')).toBe('Bearer realm="coppice", error="invalid_token"');
  });

  it('says when to come back to a client that asks too often, and how it stands', async () => {
    const { ask } = await serveHome({ rate: { burst: 2, perSecond: 0.5 } });
    expect((await ask('/api/home')).headers.get('ratelimit-remaining')).toBe('1');
    await ask('/api/home');
    const refused = await ask('/api/home');
    expect([refused.status, refused.headers.get('ratelimit-limit')]).toEqual([429, '2']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  });

  it('counts a request that makes more work as many', async () => {
    const { ask } = await serveHome({ rate: { burst: 120, perSecond: 0.001 } });
    const remaining = async (path: string) => (await ask(path)).headers.get('ratelimit-remaining');
    expect([await remaining('/api/home'), await remaining('/api/search?q=x')]).toEqual(['119', '69']);
    expect([await remaining('/api/search?q=x'), (await ask('/api/search?q=x')).status]).toEqual(['19', 429]);
    expect((await ask('/api/home')).status).toBe(200);
  });

  it('says when to come back where its work is not being done', async () => {
    const late = { name: 'jobs', everyMs: 1000, doneAt: 0 };
    const { server } = await serveHome({ chores: () => [late] });
    const answer = await fetch(`${server.url}/readyz`);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await answer.json()).toMatchObject({
      status: 'failing',
      checks: { home: true, store: true, chores: false },
    });
  });

  it('names each request in its answer, by the name that its client gave where there is one', async () => {
    const { ask } = await serveHome();
    const [first, second] = [await ask('/api/home'), await ask('/api/home')].map((r) => r.headers.get('x-request-id'));
    expect(first).toMatch(/^[\da-f]{8}-\d+$/);
    expect(second).not.toBe(first);
    const named = await ask('/api/nothing', {
      headers: { 'x-request-id': 'mine-7', accept: 'application/problem+json' },
    });
    expect(named.headers.get('x-request-id')).toBe('mine-7');
    expect(named.headers.get('content-type')).toBe('application/problem+json');
    expect(await named.json()).toMatchObject({
      type: 'urn:coppice:error:no-such-path',
      title: 'Not Found',
      status: 404,
      detail: 'There is nothing at this path.',
      instance: 'urn:coppice:request:mine-7',
      error: { code: 'no-such-path' },
    });
    const nasty = await ask('/api/home', { headers: { 'x-request-id': 'a b"c' } });
    expect(nasty.headers.get('x-request-id')).not.toContain('"');
  });

  it('says where what was made can be found', async () => {
    const { ask } = await serveHome();
    const made = await ask('/api/sessions', json('POST', { id: 'a/b', source: 'api' }));
    expect(made.headers.get('location')).toBe('/api/sessions/a%2Fb');
    const body = { messages: [{ role: 'user', content: 'x' }] };
    const added = await ask(`${made.headers.get('location') ?? ''}/messages`, json('POST', body));
    const read = await ask(added.headers.get('location') ?? '');
    expect(await read.json()).toMatchObject({ messages: [{ seq: 1, content: 'x' }] });
    const workdir = tempDir();
    const taken = await ask('/api/checkpoints', json('POST', { workdir }));
    const shown = await ask(taken.headers.get('location') ?? '');
    expect(await shown.json()).toMatchObject({ workdir });
  });

  it('packs long documents for a client that takes them so, and no others', async () => {
    const served = await serveHome();
    for (let n = 0; n < 10; n += 1) await served.client.sessions.create({ source: 'api' });
    const plain = await raw(served, '/api/sessions');
    expect(plain.headers['content-encoding']).toBeUndefined();
    const [br, gzip] = [
      await raw(served, '/api/sessions', { 'accept-encoding': 'gzip, br' }),
      await raw(served, '/api/sessions', { 'accept-encoding': 'br;q=0, gzip' }),
    ];
    expect([br.headers['content-encoding'], gzip.headers['content-encoding']]).toEqual(['br', 'gzip']);
    const rather = await raw(served, '/api/sessions', { 'accept-encoding': 'br;q=0.5, gzip;q=0.8' });
    expect(rather.headers['content-encoding']).toBe('gzip');
    expect(brotliDecompressSync(br.body)).toEqual(plain.body);
    expect(gunzipSync(gzip.body)).toEqual(plain.body);
    expect(br.body.length).toBeLessThan(plain.body.length / 2);
    const known = await raw(served, '/api/sessions', { 'if-none-match': String(br.headers.etag) });
    expect([known.status, plain.headers['vary'], known.headers['vary']]).toEqual([
      304,
      'accept-encoding',
      'accept-encoding',
    ]);
    expect((await raw(served, '/api/home', { 'accept-encoding': 'br' })).headers['content-encoding']).toBeUndefined();
  });

  it('tells a client that has a document already only that, until it changes', async () => {
    const served = await serveHome();
    const first = await raw(served, '/api/sessions');
    const tag = String(first.headers.etag);
    const again = await raw(served, '/api/sessions', { 'if-none-match': `"x", ${tag}` });
    expect([again.status, again.body.length]).toEqual([304, 0]);
    await served.client.sessions.create({ source: 'api' });
    expect((await raw(served, '/api/sessions', { 'if-none-match': tag })).status).toBe(200);
  });

  it('refuses numbers that it could not keep, and keeps the others to the last digit', async () => {
    const { ask } = await serveHome();
    await ask('/api/sessions', json('POST', { id: 's', source: 'api' }));
    const post = (content: string) =>
      ask('/api/sessions/s/messages', {
        ...json('POST', {}),
        body: `{"messages":[{"role":"user","content":[{"n":${content}}]}]}`,
      });
    for (const number of ['1234567890123456789', '1e999']) {
      const refused = await post(number);
      expect([refused.status, await refused.text()]).toEqual([
        400,
        expect.stringContaining(`The number ${number} at byte`),
      ]);
    }
    expect((await post('9007199254740991')).status).toBe(201);
    expect(await (await ask('/api/sessions/s/messages')).text()).toContain('"content":[{"n":9007199254740991}]');
  });

  it('refuses a body that is packed, instead of reading it as something else', async () => {
    const { ask } = await serveHome();
    const { headers, ...init } = json('POST', { source: 'api' });
    for (const [encoding, status] of [
      ['gzip', 415],
      ['identity', 201],
    ] as const) {
      const sent = { ...(headers as Record<string, string>), 'content-encoding': encoding };
      expect((await ask('/api/sessions', { ...init, headers: sent })).status).toBe(status);
    }
  });

  it('is not kept from anybody by connections over which no token comes', async () => {
    const served = await serveHome({ mostStrangers: 20 });
    const { port } = new URL(served.server.url);
    const stream = await served.ask('/api/events');
    let isOver = false;
    void (async () => {
      for await (const _ of stream.body ?? []);
    })()
      .catch(() => undefined)
      .finally(() => (isOver = true));
    let closed = 0;
    const sockets = await Promise.all(
      Array.from({ length: 60 }, async () => {
        const socket = connect(Number(port), '127.0.0.1');
        socket.on('error', () => undefined).on('close', () => (closed += 1));
        await once(socket, 'connect');
        return socket;
      }),
    );
    onTestFinished(() => sockets.forEach((socket) => socket.destroy()));
    await expect.poll(() => closed, PATIENCE).toBeGreaterThanOrEqual(40);
    expect((await raw(served, '/api/home')).status).toBe(200);
    // Whoever has shown a token is no stranger.
    expect(isOver).toBe(false);
  });

  it('counts no further than it can, and does not refuse what comes after', async () => {
    const { ask, client } = await serveHome();
    await ask('/api/sessions', json('POST', { id: 's', source: 'api' }));
    const most = Number.MAX_SAFE_INTEGER;
    for (let n = 0; n < 3; n += 1) {
      const report = { model: 'm', inputTokens: most, outputTokens: most, costUsd: 1_000_000 };
      const answer = await ask('/api/sessions/s/usage', json('POST', report));
      expect(answer.status).toBe(200);
    }
    expect((await client.sessions.get('s')).usage).toMatchObject({ inputTokens: most, outputTokens: most });
    expect((await ask('/api/usage?by=source')).status).toBe(200);
  });

  it('removes a session into the trash and says how it comes back, and refuses one that is held', async () => {
    const { ask, client } = await serveHome();
    await ask('/api/sessions', json('POST', { id: 'kept', source: 'api' }));
    expect((await ask('/api/sessions/kept', { method: 'DELETE' })).status).toBe(409);
    expect((await ask('/api/sessions/kep', { method: 'DELETE' })).status).toBe(404);
    await client.sessions.end('kept', 'done');
    await client.sessions.change('kept', { pinned: true });
    expect((await ask('/api/sessions/kept', { method: 'DELETE' })).status).toBe(409);
    await client.sessions.change('kept', { pinned: false });
    const { run, done } = await client.sessions.remove('kept');
    expect([done, run?.expiresAt]).toEqual([1, expect.stringMatching(/^\d{4}-/)]);
    await expect(client.sessions.get('kept')).rejects.toMatchObject({ code: 'not-found' });
    await client.runs.undo(run?.id ?? '');
    expect(await client.sessions.get('kept')).toMatchObject({ endReason: 'done' });
  });

  it('adds messages only after the one that the client knows of, where it says so', async () => {
    const { client, home } = await serveHome();
    const say = (content: string) => [{ role: 'user', content }] as const;
    const { id } = await client.sessions.create({ source: 'api' });
    const { session } = await client.routes.resolve({ key: 'a', source: 'api' });
    for (const each of [id, session.id]) {
      expect(await client.sessions.append(each, say('one'), { expectedSeq: 0 })).toMatchObject({ lastSeq: 1 });
      const late = client.sessions.append(each, say('one'), { expectedSeq: 0 });
      await expect(late).rejects.toMatchObject({
        code: 'refused',
        message: expect.stringContaining('is at message 1'),
      });
      // However many come at once, one of them is first.
      const racing = [1, 2, 3, 4].map((n) => client.sessions.append(each, say(`${n}`), { expectedSeq: 1 }));
      const settled = await Promise.allSettled(racing);
      expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect((await home.sessions.get(each))?.messageCount).toBe(2);
    }
  });
});
