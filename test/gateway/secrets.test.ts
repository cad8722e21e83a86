import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createWire } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openHome } from '../../src/app/open-home.ts';
import { MINUTE_MS } from '../../src/core/time.ts';
import { Daemon } from '../../src/daemon/daemon.ts';
import { serveHome } from '../http/serve-home.ts';
import { manualClock } from '../support/clock.ts';
import { tempDir } from '../support/temp-dir.ts';

const SECRET = 'pa%3Ass-w0rd';

async function webhook() {
  const received: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    received.push(request.headers.authorization);
    request.resume();
    response.end();
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return { received, place: `127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** A port at which nobody answers. */
async function deadPlace(): Promise<string> {
  const wire = createWire().listen(0, '127.0.0.1');
  await once(wire, 'listening');
  const { port } = wire.address() as AddressInfo;
  wire.close();
  return `127.0.0.1:${port}`;
}

it('the password of a webhook reaches the webhook, and neither the log nor the events', async () => {
  const clock = manualClock();
  await using home = await openHome({ path: tempDir(), clock, env: {} });
  const { received, place } = await webhook();
  const deliver = [
    { webhook: `http://me:${SECRET}@${place}/` },
    { webhook: `http://me:${SECRET}@${await deadPlace()}/` },
  ];
  await (await home.scheduler()).add('report', { schedule: '1 12 * * *', command: ['true'], deliver });
  const told: string[] = [];
  const daemon = new Daemon({ home, clock, say: (line) => told.push(line) });
  const stop = new AbortController();
  const following = (async () => {
    for await (const event of home.gateway.events({ after: 0, signal: stop.signal })) told.push(JSON.stringify(event));
  })();
  await (await home.scheduler()).run('report');
  clock.advance(MINUTE_MS);
  await daemon.step();
  await daemon.stop();
  stop.abort();
  await following;
  expect(received[0]).toBe(`Basic ${Buffer.from('me:pa:ss-w0rd').toString('base64')}`);
  expect(told.join('\n')).toContain('could not be reached');
  expect(told.join('\n')).not.toMatch(/w0rd|me:/);
});

it('the password of a webhook is in no document', async () => {
  const path = tempDir();
  const url = `http://me:${SECRET}@127.0.0.1:9/hook`;
  writeFileSync(
    join(path, 'config.yaml'),
    `cron:\n  jobs:\n    report:\n      schedule: "0 7 * * *"\n      command: [echo]\n      deliver: [{ webhook: "${url}" }]\n`,
    { mode: 0o600 },
  );
  const { home, ask } = await serveHome({ path });
  const spec = { schedule: '0 7 * * *', command: ['true'], deliver: [{ webhook: url }] };
  await (await home.scheduler()).add('other', spec);
  for (const place of ['/api/cron', '/api/config', '/api/config/check']) {
    const text = await (await ask(place)).text();
    if (place !== '/api/config/check') expect(text, place).toContain('http://***@127.0.0.1:9/hook');
    expect(text, place).not.toContain('w0rd');
  }
});
