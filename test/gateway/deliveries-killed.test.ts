import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { openHome } from '../../src/app/open-home.ts';
import { HOUR_MS } from '../../src/core/time.ts';
import { coppice } from '../e2e/run-coppice.ts';
import { endDaemon, startDaemon } from '../http/daemon-process.ts';
import { tempDir } from '../support/temp-dir.ts';

const KILLS = process.env['COPPICE_TORTURE'] === undefined ? 8 : 100;
const SEED = Number(process.env['COPPICE_SEED'] ?? 1);

it(`a daemon that is killed ${KILLS} times loses no delivery, and makes none twice without a mark`, {
  timeout: 20_000 + KILLS * 15_000,
}, async () => {
  const directory = tempDir();
  const home = join(directory, 'home');
  using hook = await webhook();
  await configure(directory, hook.url);
  // The first run, from which on a slot is due at every start.
  expect((await coppice(home, ['cron', 'run', 'report'])).code).toBe(0);
  const random = randomFrom(SEED);
  for (let round = 0; round < KILLS; round += 1) {
    const daemon = await startDaemon(home);
    await setTimeout(50 + random() * 1200);
    await endDaemon(daemon, 'SIGKILL');
  }
  const done = await settle(home);
  expect(done.length).toBeGreaterThan(KILLS / 4);
  const piped = existsSync(join(directory, 'piped'))
    ? readFileSync(join(directory, 'piped'), 'utf8').trimEnd().split('\n')
    : [];
  for (const id of done) {
    expect(readFileSync(join(directory, 'out', `${id}.txt`), 'utf8')).toBe(`output of ${id}\n`);
    expectArrival(hook.received.filter(({ deliveryId }) => deliveryId === `${id}:1`).map(({ mark }) => mark));
    expectArrival(piped.filter((line) => line.startsWith(`${id}:2 `)).map((line) => line.endsWith(' 1')));
  }
});

/** Once at least; and of those that come again, every one but the first says so. */
function expectArrival(marks: readonly boolean[]): void {
  expect(marks.length).toBeGreaterThan(0);
  expect(marks.filter((marked) => !marked).length).toBeLessThanOrEqual(1);
}

/** Brings everything to its end, an hour later, and says which runs were done. Nothing is left open. */
async function settle(path: string): Promise<readonly string[]> {
  await using home = await openHome({ path, clock: { now: () => Date.now() + HOUR_MS }, env: {} });
  const scheduler = await home.scheduler();
  await scheduler.recover();
  await scheduler.deliver();
  const runs = await scheduler.lastRuns('report', 1000);
  expect(runs.filter(({ finishedAt }) => finishedAt === undefined)).toEqual([]);
  return runs.filter(({ outcome }) => outcome === 'done').map(({ sessionId }) => sessionId);
}

async function configure(directory: string, url: string): Promise<void> {
  await mkdir(join(directory, 'home'), { mode: 0o700 });
  const job = {
    schedule: '* * * * * *',
    overlap: 'parallel',
    command: ['sh', '-c', 'sleep 0.1; echo "output of $COPPICE_SESSION_ID"'],
    deliver: [
      { file: join(directory, 'out', '{session}.txt') },
      { webhook: url },
      { command: ['sh', '-c', `echo "$COPPICE_DELIVERY_ID $COPPICE_MAYBE_REPEATED" >> ${join(directory, 'piped')}`] },
    ],
  };
  // JSON is YAML.
  writeFileSync(join(directory, 'home', 'config.yaml'), JSON.stringify({ cron: { jobs: { report: job } } }));
}

async function webhook() {
  const received: { deliveryId: string; mark: boolean }[] = [];
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { deliveryId, maybeRepeated } = (await json(request)) as { deliveryId: string; maybeRepeated: boolean };
    received.push({ deliveryId, mark: maybeRepeated });
    response.end();
  };
  // A request of a daemon that was killed while it sent is cut off; it comes again.
  const server = createServer((request, response) => void take(request, response).catch(() => undefined));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, received, [Symbol.dispose]: () => void server.close() };
}

/** The same numbers for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}
