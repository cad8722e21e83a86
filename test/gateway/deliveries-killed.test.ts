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
import { SEED, TORTURE } from '../support/campaign.ts';
import { seededRandom } from '../support/crash-content.js';
import { tempDir } from '../support/temp-dir.ts';

/** Homes side by side: a daemon mostly waits, for the next second and for its job. */
const LANES = 2;
/** So many kills follow on each other in each before everything is brought to its end and counted. */
const KILLS = TORTURE ? 8 : 4;
const ROUNDS = TORTURE ? 7 : 1;

it(`a daemon that is killed ${LANES * ROUNDS * KILLS} times loses no delivery, and makes none twice without a mark`, {
  timeout: ROUNDS * 180_000,
}, async () => {
  const directory = tempDir();
  const lanes = Array.from({ length: LANES }, (_, lane) => killAndCount(join(directory, `lane-${lane}`), SEED + lane));
  await Promise.all(lanes);
});

async function killAndCount(directory: string, seed: number): Promise<void> {
  const home = join(directory, 'home');
  using hook = await webhook();
  await configure(directory, hook.url);
  // The first run, from which on a slot is due at every start.
  expect((await coppice(home, ['cron', 'run', 'report'])).code).toBe(0);
  const random = seededRandom(seed);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (let kill = 0; kill < KILLS; kill += 1) await killAtWork(directory, random);
    const done = await settle(home);
    expect(done.length).toBeGreaterThan(KILLS / 4);
    const piped = lines(join(directory, 'piped'));
    for (const id of done) {
      expect(readFileSync(join(directory, 'out', `${id}.txt`), 'utf8')).toBe(`output of ${id}\n`);
      expectArrival(hook.received.filter(({ deliveryId }) => deliveryId === `${id}:1`).map(({ mark }) => mark));
      expectArrival(piped.filter((line) => line.startsWith(`${id}:2 `)).map((line) => line.endsWith(' 1')));
    }
  }
}

/** Kills the daemon at any moment: at the start, while a job runs, and most often around its end. */
async function killAtWork(directory: string, random: () => number): Promise<void> {
  const ran = join(directory, 'ran');
  const before = lines(ran).length;
  const daemon = await startDaemon(join(directory, 'home'));
  if (random() < 0.75) {
    await expect.poll(() => lines(ran).length, { timeout: 30_000, interval: 10 }).toBeGreaterThan(before);
  }
  await setTimeout(random() * 400);
  await endDaemon(daemon, 'SIGKILL');
}

function lines(path: string): readonly string[] {
  return existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : [];
}

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
  await mkdir(join(directory, 'home'), { mode: 0o700, recursive: true });
  const job = {
    schedule: '* * * * * *',
    overlap: 'parallel',
    command: ['sh', '-c', `sleep 0.1; echo "output of $COPPICE_SESSION_ID"; echo ran >> ${join(directory, 'ran')}`],
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
