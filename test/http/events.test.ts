import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer as createWire, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { readEvents } from '../../src/client/follow-events.ts';
import { EventClients } from '../../src/http/resources/event-clients.ts';
import { type Served, serveHome, TOKEN } from './serve-home.ts';

const CLIENTS = process.env['COPPICE_TORTURE'] === undefined ? 200 : 1000;
const PATIENCE = { timeout: 30_000 };

async function follow({ ask }: Served, lastId?: string) {
  const stop = new AbortController();
  const response = await ask('/api/events', {
    signal: stop.signal,
    ...(lastId !== undefined && { headers: { 'last-event-id': lastId } }),
  });
  const body = response.body as unknown as AsyncIterable<Uint8Array>;
  const chunks = body[Symbol.asyncIterator]();
  // The first words come when nothing that happens from now on is missed.
  const first = (await chunks.next()).value as Uint8Array;
  const rest = readEvents({
    async *[Symbol.asyncIterator]() {
      yield first;
      for (let chunk = await chunks.next(); chunk.done !== true; chunk = await chunks.next()) yield chunk.value;
    },
  });
  return { events: rest, stop };
}

const resolve = ({ home }: Served, key: string) => home.gateway.resolve({ key, source: 'telegram' });

describe('server-sent events', () => {
  it('of a kind that is none are refused, instead of being waited for without end', async () => {
    const { ask } = await serveHome();
    const wrong = await ask('/api/events?type=session-start&type=warning');
    expect(wrong.status).toBe(400);
    expect(await wrong.text()).toContain('session-started');
  });

  it(`reach ${CLIENTS} clients at once, every one of them in order`, async () => {
    const served = await serveHome();
    const clients = await Promise.all(Array.from({ length: CLIENTS }, () => follow(served)));
    for (const key of ['a', 'b', 'c']) await resolve(served, key);
    for (const { events, stop } of clients) {
      const messages: string[] = [];
      for (let n = 0; n < 3; n += 1) messages.push((await events.next()).value?.message ?? '');
      expect(messages).toEqual(['a has a new session.', 'b has a new session.', 'c has a new session.']);
      stop.abort();
    }
    await expect
      .poll(async () => (await served.ask('/metrics')).text(), PATIENCE)
      .toContain('coppice_event_clients 0\n');
  });

  it('go on after the last one that a client has seen', async () => {
    const served = await serveHome();
    const before = await follow(served);
    await resolve(served, 'a');
    const { value } = await before.events.next();
    before.stop.abort();
    await resolve(served, 'b');
    await resolve(served, 'c');
    const { events, stop } = await follow(served, value?.id);
    expect((await events.next()).value?.message).toBe('b has a new session.');
    const newest = (await events.next()).value;
    expect(newest?.message).toBe('c has a new session.');
    stop.abort();
    // Whoever has seen everything has missed nothing.
    const again = await follow(served, newest?.id);
    await resolve(served, 'd');
    expect((await again.events.next()).value?.message).toBe('d has a new session.');
    again.stop.abort();
  });

  it('say that there is a gap when the daemon is another one, or the id makes no sense', async () => {
    const served = await serveHome();
    await resolve(served, 'a');
    for (const id of ['000000000000-7', 'nonsense', `${'f'.repeat(12)}-99999999999999999999`]) {
      const { events, stop } = await follow(served, id);
      expect((await events.next()).value?.kind).toBe('gap');
      expect((await events.next()).value?.message).toBe('a has a new session.');
      stop.abort();
    }
  });

  it('are followed by the client across a lost connection', async () => {
    const served = await serveHome();
    const { port, cut } = await wire(Number(new URL(served.server.url).port));
    using client = createClient({ url: `http://127.0.0.1:${port}`, token: TOKEN });
    const stop = new AbortController();
    const events = client.events({ signal: stop.signal });
    const first = events.next();
    await expect
      .poll(async () => (await served.ask('/metrics')).text(), PATIENCE)
      .toContain('coppice_event_clients 1\n');
    await resolve(served, 'a');
    expect((await first).value?.message).toBe('a has a new session.');
    cut();
    await resolve(served, 'b');
    expect((await events.next()).value?.message).toBe('b has a new session.');
    stop.abort();
    expect((await events.next()).done).toBe(true);
  });

  it('are followed by the client while the daemon is started again, and no further when they make no sense', async () => {
    const answers = [
      { status: 200, text: event('first') },
      { status: 503, text: '{"error":{"code":"stopping","message":"The daemon is stopping."}}' },
      { status: 200, text: event('second') },
      { status: 200, text: 'data: {"kind"\n\n' },
    ];
    const asked: unknown[] = [];
    const server = createServer((request, response) => {
      asked.push(request.headers['last-event-id']);
      const { status = 200, text = '' } = answers.shift() ?? {};
      response.writeHead(status).end(text);
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    using client = createClient({ url: `http://127.0.0.1:${port}`, token: TOKEN });
    const events = client.events({ signal: new AbortController().signal });
    expect((await events.next()).value?.id).toBe('first');
    expect((await events.next()).value?.id).toBe('second');
    await expect(events.next()).rejects.toThrow(SyntaxError);
    expect(asked).toEqual([undefined, 'first', 'first', 'second']);
  });

  it('let go of a client that takes nothing before much waits for it, and of nobody else', async () => {
    const message = 'x'.repeat(100_000);
    const responses: ServerResponse[] = [];
    let sent = 0;
    let mostWaiting = 0;
    const clients = new EventClients({
      async *events({ signal }) {
        for (let id = 1; !signal.aborted; id += 1) {
          await setTimeout(1);
          sent = Math.max(sent, id);
          mostWaiting = Math.max(mostWaiting, ...responses.map(({ writableLength }) => writableLength));
          yield { id, at: 0, kind: 'warning', message };
        }
      },
    });
    const server = createServer((request, response) => {
      responses.push(response);
      void clients.follow(request, response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const open = () => {
      const socket = connect(port, '127.0.0.1').on('error', () => undefined);
      socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n');
      return socket;
    };
    const lazy = open().pause();
    const eager = open().resume();
    await expect.poll(() => clients.size, PATIENCE).toBe(2);
    await expect.poll(() => clients.size, PATIENCE).toBe(1);
    // A megabyte and the event with which it grew beyond that.
    expect(mostWaiting).toBeLessThan(1024 * 1024 + 2 * message.length);
    const reached = sent;
    await expect.poll(() => sent, PATIENCE).toBeGreaterThan(reached + 10);
    expect([eager.closed, eager.bytesRead > message.length]).toEqual([false, true]);
    clients.end();
    for (const socket of [lazy, eager]) socket.destroy();
    server.close();
  });
});

function event(id: string): string {
  return `id: ${id}\ndata: {"kind":"warning","message":"x"}\n\n`;
}

/** A way to a server that can be cut, as networks are. */
async function wire(to: number) {
  const sockets = new Set<Socket>();
  const server = createWire((near) => {
    const far = connect(to, '127.0.0.1');
    for (const [from, into] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('error', () => undefined).on('close', () => into.destroy());
      from.pipe(into);
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, cut: () => sockets.forEach((socket) => socket.destroy()) };
}
