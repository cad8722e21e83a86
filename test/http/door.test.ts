import { once } from 'node:events';
import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createClient } from '../../src/client/client.ts';
import { SECOND_MS } from '../../src/core/time.ts';
import { errorSchema } from '../../src/http/openapi/openapi-errors.ts';
import { manualClock } from '../support/clock.ts';
import { tempDir } from '../support/temp-dir.ts';
import { describedRoutes, json, type Served, serveHome, TOKEN, withId } from './serve-home.ts';

/** `fetch` writes Host and Origin itself; an attacker does as he likes. */
async function knock({ server }: Served, headers: Record<string, string>, path = '/api/sessions') {
  const { hostname, port } = new URL(server.url);
  const sent = request({ host: hostname, port, path, headers, setHost: false, agent: false });
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.resume();
  return response.statusCode;
}

async function codeOf(response: Response): Promise<string> {
  return z.parse(errorSchema, await response.json()).error.code;
}

describe('the door of the HTTP API', () => {
  it('needs the token on every route that is not open, and says nothing on those that are', async () => {
    const clock = manualClock();
    const served = await serveHome({ clock });
    const routes = await describedRoutes(served);
    expect(routes.filter(({ open }) => open).map(({ path }) => path)).toEqual(['/healthz', '/readyz', '/api/sign-in']);
    const statusOf = async (method: string, path: string, authorization: string) => {
      const response = await fetch(`${served.server.url}${withId(path, 'x')}`, { method, headers: { authorization } });
      return { status: response.status, text: await response.text() };
    };
    for (const { method, path, open } of routes) {
      // Slowly enough not to be turned away for that.
      clock.advance(SECOND_MS);
      const { status, text } = await statusOf(method, path, 'Bearer wrong');
      // Open to whoever has a link: without one it says no.
      if (path === '/api/sign-in') {
        expect([status, text]).toEqual([409, expect.stringContaining('This link was used already')]);
        continue;
      }
      expect([path, status]).toEqual([path, open ? 200 : 401]);
      // Whether it does its work, and nothing about the home.
      const checks = path === '/readyz' && { checks: { home: true, store: true, chores: true } };
      if (open) expect(JSON.parse(text)).toEqual({ schemaVersion: 1, status: 'ok', ...checks });
    }
    // Those who are turned away too often are told so instead, and get in no more than before.
    const answered = new Set<number>();
    for (const authorization of ['', `Bearer ${TOKEN}x`, `Bearer ${TOKEN.slice(1)}`, `Basic ${TOKEN}`, TOKEN]) {
      for (const { method, path, open } of routes) {
        const { status } = await statusOf(method, path, authorization);
        if (!open) answered.add(status);
      }
    }
    expect(answered).toEqual(new Set([401, 429]));
  });

  it('answers another method than those of a path with 405 and says which', async () => {
    const served = await serveHome();
    for (const { path } of await describedRoutes(served)) {
      const response = await served.ask(withId(path, 'x'), { method: 'PUT' });
      expect([response.status, response.headers.get('allow')]).toEqual([405, expect.stringMatching(/GET|POST/)]);
    }
    expect(await codeOf(await served.ask('/api/nothing'))).toBe('no-such-path');
  });

  it('refuses a body of the wrong type or shape on every route that takes one', async () => {
    const clock = manualClock();
    const served = await serveHome({ clock });
    const routes = (await describedRoutes(served)).filter(({ takesBody }) => takesBody);
    expect(routes.length).toBeGreaterThan(8);
    for (const { method, path } of routes) {
      const at = withId(path, 'x');
      const plain = await served.ask(at, { method, body: '{}', headers: { 'content-type': 'text/plain' } });
      expect([path, plain.status]).toEqual([path, 415]);
      for (const body of ['', '{', '[]', '"x"', 'null', '{"unknown":1}', '['.repeat(50_000), '\ufeff{}']) {
        clock.advance(SECOND_MS);
        const wrong = await served.ask(at, { method, body, headers: { 'content-type': 'application/json' } });
        expect([path, body.slice(0, 20), wrong.status]).toEqual([path, body.slice(0, 20), 400]);
        expect(await codeOf(wrong)).toBe('usage');
      }
    }
  });

  it('refuses bytes that are no UTF-8, and what is nested too deeply', async () => {
    const served = await serveHome();
    const headers = { 'content-type': 'application/json' };
    const body = Buffer.from('{"source":"\xff"}', 'latin1');
    expect((await served.ask('/api/sessions', { method: 'POST', body, headers })).status).toBe(400);
    const { id } = await served.client.sessions.create({ source: 'api' });
    const deep = `{"messages":[{"role":"user","content":"","metadata":${'{"a":'.repeat(200)}1${'}'.repeat(200)}}]}`;
    expect((await served.ask(`/api/sessions/${id}/messages`, { method: 'POST', body: deep, headers })).status).toBe(
      400,
    );
  });

  it('takes a message of 10 MiB and refuses a larger body, announced or not', async () => {
    const served = await serveHome();
    const { id } = await served.client.sessions.create({ source: 'api' });
    const path = `/api/sessions/${id}/messages`;
    const content = 'x'.repeat(10 * 1024 * 1024);
    expect((await served.ask(path, json('POST', { messages: [{ role: 'user', content }] }))).status).toBe(201);
    const { hostname, port } = new URL(served.server.url);
    for (const headers of [{ 'content-length': 1e12 }, { 'transfer-encoding': 'chunked' }]) {
      const sent = request({
        host: hostname,
        port,
        path,
        method: 'POST',
        agent: false,
        headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', ...headers },
      });
      sent.on('error', () => undefined);
      for (let megabytes = 0; megabytes < 14; megabytes += 1) sent.write('x'.repeat(1024 * 1024));
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      expect(response.statusCode).toBe(413);
      sent.destroy();
    }
    expect((await served.client.sessions.get(id)).messageCount).toBe(1);
  });

  it('knows this machine by its own names only', async () => {
    const served = await serveHome();
    const authorization = `Bearer ${TOKEN}`;
    const { port } = new URL(served.server.url);
    for (const host of ['localhost', `localhost:${port}`, '127.0.0.1', `[::1]:${port}`, 'LOCALHOST']) {
      expect([host, await knock(served, { authorization, host })]).toEqual([host, 200]);
    }
    for (const host of [
      'evil.example',
      'localhost.evil.example',
      '127.0.0.1.evil.example',
      '10.0.0.1',
      'a@localhost',
      '127.1',
    ])
      expect([host, await knock(served, { authorization, host })]).toEqual([host, 403]);
  });

  it('does not answer pages of other sites, and lets no browser ask for them', async () => {
    const served = await serveHome();
    const authorization = `Bearer ${TOKEN}`;
    const { host } = new URL(served.server.url);
    expect(await knock(served, { authorization, host, origin: `http://${host}` })).toBe(200);
    for (const origin of ['http://evil.example', 'null', '', `http://${host}.evil.example`, 'http://localhost:1'])
      expect([origin, await knock(served, { authorization, host, origin })]).toEqual([origin, 403]);
    const response = await served.ask('/api/sessions', { method: 'OPTIONS' });
    expect([...response.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  it('turns away a client that asks too often, and lets it in again later', async () => {
    const clock = manualClock();
    const served = await serveHome({ clock, rate: { burst: 5, perSecond: 50 } });
    const statuses = await Promise.all(Array.from({ length: 30 }, async () => (await served.ask('/api/usage')).status));
    // However slow the machine is that this runs on: the clock stands still.
    expect(statuses.filter((status) => status === 200).length).toBe(5);
    expect(statuses.filter((status) => status === 429).length).toBe(25);
    // The client waits and tries again by itself.
    const waiting = served.client.usage();
    clock.advance(SECOND_MS / 50);
    expect(await waiting).toMatchObject({ spending: [] });
  });

  it('lets go of clients that send their request too slowly, and goes on with others', async () => {
    const served = await serveHome({ patienceMs: 400 });
    const { port } = new URL(served.server.url);
    const starts = ['GET /api/sess', 'POST /api/sessions HTTP/1.1\r\nhost: localhost\r\n'];
    const body = `${starts[1]}authorization: Bearer ${TOKEN}\r\ncontent-type: application/json\r\ncontent-length: 10\r\n\r\n{`;
    for (const start of [...starts, body]) {
      const socket = connect(Number(port), '127.0.0.1');
      socket.on('error', () => undefined).resume();
      socket.write(start);
      await once(socket, 'close');
    }
    expect((await served.ask('/api/sessions')).status).toBe(200);
  });

  it('listens beyond this machine only when told that this is meant', async () => {
    await expect(serveHome({ address: { host: '0.0.0.0', port: 0 } })).rejects.toMatchObject({ code: 'refused' });
    const served = await serveHome({ address: { host: '0.0.0.0', port: 0, beyond: true } });
    const authorization = `Bearer ${TOKEN}`;
    expect(await knock(served, { authorization, host: '192.168.1.5' })).toBe(200);
    expect(await knock(served, { authorization, host: 'evil.example' })).toBe(403);
  });
});

describe('a Unix socket', () => {
  const own = (mode = 0o700) => {
    const folder = join(tempDir(), 'run');
    mkdirSync(folder);
    chmodSync(folder, mode);
    return join(folder, 'coppice.sock');
  };

  it('is for its owner alone, and a client finds the daemon there', async () => {
    const socket = own();
    const { server } = await serveHome({ address: { socket } });
    expect(statSync(socket).mode & 0o777).toBe(0o600);
    using client = createClient({ url: server.url, token: TOKEN });
    expect((await client.sessions.create({ source: 'api' })).source).toBe('api');
    using stranger = createClient({ url: server.url, token: 'wrong' });
    await expect(stranger.usage()).rejects.toThrow('does not accept this token');
  });

  it('is refused where others can reach into its folder', async () => {
    await expect(serveHome({ address: { socket: own(0o755) } })).rejects.toMatchObject({ code: 'refused' });
  });

  it('takes the place of one that nobody listens on, and of nothing else', async () => {
    const socket = own();
    const other = createServer().listen(socket);
    await once(other, 'listening');
    await expect(serveHome({ address: { socket } })).rejects.toMatchObject({ code: 'locked' });
    other.close();
    await once(other, 'close');
    writeFileSync(socket, 'a file');
    await expect(serveHome({ address: { socket } })).rejects.toMatchObject({ code: 'refused' });
  });
});
