import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { expect, it, onTestFinished } from 'vitest';
import type { Home } from '../../src/app/home.ts';
import { openHome } from '../../src/app/open-home.ts';
import { type Clock, HOUR_MS, MINUTE_MS } from '../../src/core/time.ts';
import { serve } from '../../src/daemon/serve.ts';
import { manualClock } from '../support/clock.ts';
import { collect } from '../support/collect.ts';
import { tempDir } from '../support/temp-dir.ts';

const PATIENCE = { timeout: 30_000 };

it('a daemon starts jobs on time while a delivery waits for an address that does not answer', async () => {
  const answers: (() => void)[] = [];
  const server = createServer((_, response) => void answers.push(() => response.end())).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const webhook = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const clock = manualClock();
  await using home = await openHome({ path: tempDir(), clock, env: {} });
  const scheduler = await home.scheduler();
  await scheduler.add('slow', { schedule: '1 12 * * *', command: ['true'], deliver: [{ webhook }] });
  await scheduler.add('prompt', { schedule: '2 12 * * *', command: ['true'] });
  const { said, stop } = startServing(home, clock);
  clock.advance(MINUTE_MS);
  await expect.poll(() => said, PATIENCE).toContain('cron_slow_20260115_120100: done.');
  clock.advance(MINUTE_MS / 2);
  await expect.poll(() => answers.length, PATIENCE).toBe(1);
  clock.advance(MINUTE_MS / 2);
  await expect.poll(() => said, PATIENCE).toContain('Started cron_prompt_20260115_120200.');
  expect(said).not.toContain('Delivered the output of cron_slow_20260115_120100 by webhook.');
  answers[0]?.();
  await expect.poll(() => said, PATIENCE).toContain('Delivered the output of cron_slow_20260115_120100 by webhook.');
  expect(answers).toHaveLength(1);
  await stop();
});

it('a daemon that is told to stop ends its jobs politely and waits for them', async () => {
  const clock = manualClock();
  const path = tempDir();
  await using home = await openHome({ path, clock, env: {} });
  const command = ['sh', '-c', `trap 'sleep 0.3; echo goodbye; exit 0' TERM; >ready; while true; do sleep 0.05; done`];
  await (await home.scheduler()).add('long', { schedule: '1 12 * * *', command, workdir: path });
  const { said, stop } = startServing(home, clock);
  clock.advance(MINUTE_MS);
  await expect.poll(() => existsSync(join(path, 'ready')), PATIENCE).toBe(true);
  await stop();
  expect(said).toContain('cron_long_20260115_120100: stopped. It was interrupted.');
  const session = await home.sessions.open('cron_long_20260115_120100');
  expect(await session.facts()).toMatchObject({ endReason: 'interrupted' });
  expect((await collect(session.messages())).map(({ content }) => content)).toContain('goodbye\n');
});

it('a daemon sends at its start what the one before was sending when it died', async () => {
  const clock = manualClock();
  const path = tempDir();
  const home = join(path, 'home');
  await using served = await openHome({ path: home, clock, env: {} });
  const scheduler = await served.scheduler();
  const deliver = [{ file: join(path, 'out.txt') }];
  await scheduler.add('report', { schedule: '1 12 * * *', command: ['echo', 'done'], deliver });
  clock.advance(MINUTE_MS);
  await (await scheduler.tick()).ended;
  const db = new BetterSqlite3(join(home, 'state.db'));
  db.prepare(`UPDATE deliveries SET state = 'sending', attempts = 1, next_attempt_at = ?`).run(clock.now() + HOUR_MS);
  db.close();
  const { stop } = startServing(served, clock);
  await expect.poll(() => existsSync(join(path, 'out.txt')), PATIENCE).toBe(true);
  await stop();
});

/** Serves a home in this process. What is returned ends it and waits for its end. */
function startServing(home: Home, clock: Clock) {
  const said: string[] = [];
  const stopping = new AbortController();
  const serving = serve({
    home,
    clock,
    address: { host: '127.0.0.1', port: 0 },
    say: (line) => void said.push(line),
    onReady: () => undefined,
    signal: stopping.signal,
  });
  const stop = async (): Promise<void> => {
    stopping.abort();
    await serving;
  };
  return { said, stop };
}
