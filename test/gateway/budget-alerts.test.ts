import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Home } from '../../src/app/home.ts';
import { openHome } from '../../src/app/open-home.ts';
import { MINUTE_MS } from '../../src/core/time.ts';
import { coppice } from '../e2e/run-coppice.ts';
import { manualClock } from '../support/clock.ts';
import { tempDir } from '../support/temp-dir.ts';

interface Received {
  readonly authorization: string | undefined;
  readonly body: { readonly output: string; readonly deliveryId: string; readonly event: object };
}

/** A receiver of alerts that refuses the first few. */
async function startReceiver(refusals = 0) {
  const received: Received[] = [];
  const refused: string[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const body = JSON.parse(await text(request)) as Received['body'];
      const isRefused = refused.length < refusals;
      if (isRefused) refused.push(body.deliveryId);
      else received.push({ authorization: request.headers.authorization, body });
      response.writeHead(isRefused ? 503 : 204).end();
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { received, refused, url: `http://me:s3cret@127.0.0.1:${port}/hook` };
}

function homeWithAlerts(url: string): string {
  const home = join(tempDir(), 'home');
  mkdirSync(home, { mode: 0o700 });
  const config = `budgets: { day: { tokens: 10000 }, alert_at: [50, 80], alert_deliver: [{ webhook: "${url}" }] }\n`;
  writeFileSync(join(home, 'config.yaml'), config, { mode: 0o600 });
  return home;
}

const clock = manualClock();

async function open(path: string): Promise<Home> {
  const home = await openHome({ path, clock });
  onTestFinished(() => home.close());
  return home;
}

async function use(home: Home, tokens: number): Promise<void> {
  const session = await home.gateway.resolve({ key: 'chat:1', source: 'chat' });
  await using turn = session.beginTurn();
  await turn.usage({ model: 'm', inputTokens: tokens });
}

/** Everything that is told from now on. */
function follow(home: Home): { readonly kind: string; readonly message: string; readonly figures?: object }[] {
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const told: { kind: string; message: string }[] = [];
  void (async () => {
    for await (const event of home.gateway.events({ after: 0, signal: stop.signal })) told.push(event);
  })();
  return told;
}

const alertsIn = (told: readonly { kind: string }[]) => told.filter(({ kind }) => kind === 'budget-alert');

describe('an alert on a budget', () => {
  it('is told once for each share and day, by one of all processes, and not again after a restart', async () => {
    const receiver = await startReceiver();
    const path = homeWithAlerts(receiver.url);
    const [one, two] = [await open(path), await open(path)];
    const [byOne, byTwo] = [follow(one), follow(two)];
    await use(one, 4000);
    expect(receiver.received).toEqual([]);
    await Promise.all([use(one, 500), use(two, 1000)]);
    await vi.waitFor(() => expect(receiver.received).toHaveLength(1), 10_000);
    await use(await open(path), 100);
    await use(two, 3000);
    await vi.waitFor(() => expect(receiver.received).toHaveLength(2), 10_000);
    expect(receiver.received.map(({ body }) => body.event)).toMatchObject([
      { scope: 'day', of: 'tokens', percent: 50, limit: 10_000 },
      { scope: 'day', of: 'tokens', percent: 80, limit: 10_000, used: 8600 },
    ]);
    expect(receiver.received[1]?.body.output).toContain(
      '80 % of a budget is used. All sessions together have today used',
    );
    expect([...alertsIn(byOne), ...alertsIn(byTwo)]).toHaveLength(2);
    clock.advance(24 * 60 * MINUTE_MS);
    await use(one, 5000);
    await vi.waitFor(() => expect(receiver.received).toHaveLength(3), 10_000);
  });

  it('that does not arrive is said, is tried again later, and never with its password in an event', async () => {
    const receiver = await startReceiver(1);
    const home = await open(homeWithAlerts(receiver.url));
    const told = follow(home);
    await use(home, 6000);
    await vi.waitFor(() => expect(told.some(({ kind }) => kind === 'warning')).toBe(true), 10_000);
    expect(told.find(({ kind }) => kind === 'warning')?.message).toBe(
      'An alert on a budget did not arrive: the webhook answered 503. It is tried again.',
    );
    const scheduler = await home.scheduler();
    expect(await scheduler.deliver()).toEqual({ arrived: [], failures: [] });
    clock.advance(MINUTE_MS);
    expect((await scheduler.deliver()).arrived).toEqual(['Delivered an alert on a budget by webhook.']);
    expect(receiver.received.map(({ body }) => body.deliveryId)).toEqual(receiver.refused);
    expect(receiver.received[0]?.authorization).toMatch(/^Basic /);
    expect(JSON.stringify(told)).not.toContain('s3cret');
  });

  it('is said at the end of the run that used the share, and sent though no daemon runs', async () => {
    const receiver = await startReceiver();
    const home = homeWithAlerts(receiver.url);
    const report = `echo '{"coppice":"usage","model":"m","inputTokens":8500}' >&3`;
    const { code, stderr } = await coppice(home, ['run', '--', 'sh', '-c', report]);
    expect(code).toBe(0);
    // The largest share is enough for a person; whoever listens is told of each.
    expect(stderr.match(/% of a budget/g)).toHaveLength(1);
    expect(stderr).toContain('coppice: 80 % of a budget is used. All sessions together have today used 8,500 tokens');
    expect(receiver.received).toHaveLength(2);
  });
});
