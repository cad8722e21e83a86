import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request as startRequest } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openHome } from '../../src/app/open-home.ts';
import { createClient } from '../../src/client/client.ts';
import { campaignSize, SEED } from '../support/campaign.ts';
import { collect } from '../support/collect.ts';
import { tempDir } from '../support/temp-dir.ts';
import { type DaemonProcess, endDaemon, startDaemon } from './daemon-process.ts';
import { serveHome, TOKEN } from './serve-home.ts';

const PATIENCE = { timeout: 600_000 };
const ROUNDS = campaignSize({ usual: 3, torture: 60 });

/** Stands between a client and its daemon, and cuts off so many answers before the client sees anything of them. */
async function startCutter(url: string, cuts: number): Promise<{ readonly url: string; readonly cut: () => number }> {
  let cut = 0;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const daemon = connect(Number(new URL(url).port), '127.0.0.1');
    for (const socket of [client, daemon]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
    }
    client.pipe(daemon);
    daemon.on('data', (chunk) => {
      if (cut >= cuts) client.write(chunk);
      else {
        cut += 1;
        client.destroy();
        daemon.destroy();
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { url: `http://127.0.0.1:${address.port}`, cut: () => cut };
}

describe('a client that lost its answer', () => {
  it('asks again by itself, and has what it asked for once', PATIENCE, async () => {
    const served = await serveHome();
    const { id } = await served.client.sessions.create({ source: 'api' });
    for (const act of [
      (client: typeof served.client) => client.sessions.append(id, [{ role: 'user', content: 'hello' }]),
      (client: typeof served.client) => client.sessions.recordUsage(id, { model: 'm', inputTokens: 7 }),
      (client: typeof served.client) => client.sessions.step(id),
      (client: typeof served.client) => client.sessions.create({ source: 'other' }),
      (client: typeof served.client) => client.sessions.change(id, { title: 'named' }),
    ]) {
      const cutter = await startCutter(served.server.url, 2);
      using client = createClient({ url: cutter.url, token: TOKEN });
      await act(client);
      expect(cutter.cut()).toBe(2);
    }
    expect((await collect(served.client.sessions.messages(id))).length).toBe(1);
    expect((await collect(served.client.sessions.list({ source: 'other' }))).length).toBe(1);
    const [spent] = (await served.client.usage('session')).spending;
    expect(spent).toMatchObject({ tokens: 7, iterations: 1 });
    expect(await served.client.sessions.get(id)).toMatchObject({ usage: { inputTokens: 7 }, title: 'named' });
  });

  it('waits as long as a daemon asks for that has too much to do', PATIENCE, async () => {
    const { client } = await serveHome({ rate: { burst: 2, perSecond: 2 } });
    const { id } = await client.sessions.create({ source: 'api' });
    for (let number = 1; number <= 4; number += 1) await client.sessions.append(id, [{ role: 'user', content: 'x' }]);
    expect((await client.sessions.get(id)).messageCount).toBe(4);
  });
});

interface Asked {
  readonly path: string;
  readonly body: object;
  readonly key: string;
}

/**
 * Sends a request, and returns the status of the answer if there is one. Not `fetch`: that of Node 20 now and then
 * settles never when the process at the other end is killed.
 */
function send({ url, tokenPath }: DaemonProcess, { path, body, key }: Asked): Promise<number | undefined> {
  const headers = {
    authorization: `Bearer ${readFileSync(tokenPath, 'utf8').trim()}`,
    'content-type': 'application/json',
    'idempotency-key': key,
  };
  const begun = startRequest(`${url}${path}`, { method: 'POST', headers, agent: false }).end(JSON.stringify(body));
  return new Promise((resolve) => {
    begun.once('response', (answer) => resolve(answer.resume().statusCode));
    begun.once('close', () => resolve(undefined));
    begun.on('error', () => undefined);
  });
}

/** When the daemon of a round dies: within the time that its requests take. */
function momentOf(round: number): number {
  return (((SEED + round) * 104_729) % 997) / 40;
}

describe('a daemon that is killed between what it did and its answer', () => {
  it('does nothing twice when it is asked again, and loses nothing', PATIENCE, async () => {
    const place = `${tempDir()}/home`;
    const home = await openHome({ path: place });
    const { id } = await home.sessions.create({ source: 'api', id: 'killed' });
    await home.close();
    const asked = (round: number): readonly Asked[] => [
      {
        path: `/api/sessions/${id}/messages`,
        body: { messages: [{ role: 'user', content: `${round}` }] },
        key: `m${round}`,
      },
      { path: `/api/sessions/${id}/usage`, body: { model: 'm', inputTokens: 10 }, key: `u${round}` },
      { path: `/api/sessions/${id}/steps`, body: { workedMs: 10_000 }, key: `s${round}` },
      { path: '/api/sessions', body: { source: 'made' }, key: `c${round}` },
      { path: '/api/routes/resolve', body: { key: `route-${round}`, source: 'routed' }, key: `r${round}` },
    ];
    let daemon = await startDaemon(place);
    for (let round = 1; round <= ROUNDS; round += 1) {
      const sent = asked(round).map((request) => send(daemon, request));
      await setTimeout(momentOf(round));
      await endDaemon(daemon, 'SIGKILL');
      await Promise.all(sent);
      daemon = await startDaemon(place);
      for (const request of asked(round)) {
        expect(await send(daemon, request)).toBeLessThan(300);
        expect(await send(daemon, request)).toBeLessThan(300);
      }
    }
    const contents = (await collect(daemon.client.sessions.messages(id))).map(({ content }) => content);
    expect(contents).toHaveLength(ROUNDS);
    expect(new Set(contents).size).toBe(ROUNDS);
    expect(await daemon.client.sessions.get(id)).toMatchObject({ usage: { inputTokens: 10 * ROUNDS } });
    const spent = (await daemon.client.usage('session')).spending.find(({ key }) => key === id);
    expect(spent).toMatchObject({ tokens: 10 * ROUNDS, iterations: ROUNDS });
    expect(Math.round((spent?.wallMs ?? 0) / 10_000)).toBe(ROUNDS);
    expect((await collect(daemon.client.sessions.list({ source: 'made' }))).length).toBe(ROUNDS);
    expect((await collect(daemon.client.sessions.list({ source: 'routed' }))).length).toBe(ROUNDS);
    await endDaemon(daemon, 'SIGTERM');
  });
});
