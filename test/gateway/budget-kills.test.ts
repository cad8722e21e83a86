import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { openHome } from '../../src/app/open-home.ts';
import { totalTokens } from '../../src/core/sessions/session.ts';
import { campaignSize, SEED, TORTURE } from '../support/campaign.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { tempDir } from '../support/temp-dir.ts';

const WORKER = fileURLToPath(new URL('../support/budget-worker.js', import.meta.url));
const LIMIT = 2_000_000;
/** Two calls of each worker are under way at once. */
const MOST_UNDER_WAY = 2 * 500;

/** A provider that counts what it served. */
async function startProvider(): Promise<{ readonly url: string; served: () => number }> {
  let served = 0;
  const server = createServer((request, response) => {
    void (async () => {
      served += Number(await text(request));
      response.end();
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, served: () => served };
}

async function startWorker(home: string, url: string, key: string) {
  const child = spawn(process.execPath, [WORKER, home, url, key], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return async (): Promise<void> => {
    child.kill('SIGKILL');
    await exited;
  };
}

it(
  'books agree with each other and with the provider, however many processes are killed in the midst of calls',
  async () => {
    const home = join(tempDir(), 'home');
    mkdirSync(home, { mode: 0o700 });
    writeFileSync(
      join(home, 'config.yaml'),
      `budgets: { day: { tokens: ${LIMIT} } }\nguards: { tokens_per_minute: never }\n`,
      {
        mode: 0o600,
      },
    );
    const provider = await startProvider();
    const random = seededRandom(SEED);
    const rounds = campaignSize({ usual: 2, torture: 100 });
    for (let round = 1; round <= rounds; round += 1) {
      const kills = await Promise.all([0, 1].map((each) => startWorker(home, provider.url, `k${each}`)));
      for (const kill of kills) {
        await setTimeout(random.below(150));
        await kill();
      }
      await using opened = await openHome({ path: home });
      const [day] = await opened.gateway.spend('day');
      const sessions = await opened.gateway.spend('session');
      const booked = day?.used.tokens ?? 0;
      // A call that was set aside and may have been sent counts, also where it had not reached the provider yet.
      expect(booked).toBeGreaterThanOrEqual(provider.served());
      expect(booked).toBeLessThanOrEqual(Math.min(LIMIT, provider.served() + 2 * round * MOST_UNDER_WAY));
      expect(day?.reserved).toBeUndefined();
      expect(sessions.reduce((sum, { used }) => sum + used.tokens, 0)).toBe(booked);
      for await (const { id, usage } of opened.sessions.list()) {
        expect(totalTokens(usage)).toBe(sessions.find(({ key }) => key === id)?.used.tokens ?? 0);
      }
    }
    expect(provider.served()).toBeGreaterThan(0);
  },
  TORTURE ? 900_000 : 60_000,
);
