import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { openHome } from '../../src/app/open-home.ts';
import { MINUTE_MS } from '../../src/core/time.ts';
import { serve } from '../../src/daemon/serve.ts';
import { manualClock } from '../support/clock.ts';
import { tempDir } from '../support/temp-dir.ts';

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
  const said: string[] = [];
  const stop = new AbortController();
  const serving = serve({
    home,
    clock,
    address: { host: '127.0.0.1', port: 0 },
    say: (line) => void said.push(line),
    onReady: () => undefined,
    signal: stop.signal,
  });
  const patience = { timeout: 15_000 };
  clock.advance(MINUTE_MS);
  await expect.poll(() => said, patience).toContain('cron_slow_20260115_120100: done.');
  clock.advance(MINUTE_MS / 2);
  await expect.poll(() => answers.length, patience).toBe(1);
  clock.advance(MINUTE_MS / 2);
  await expect.poll(() => said, patience).toContain('Started cron_prompt_20260115_120200.');
  expect(said).not.toContain('Delivered the output of cron_slow_20260115_120100.');
  answers[0]?.();
  await expect.poll(() => said, patience).toContain('Delivered the output of cron_slow_20260115_120100.');
  expect(answers).toHaveLength(1);
  stop.abort();
  await serving;
});
