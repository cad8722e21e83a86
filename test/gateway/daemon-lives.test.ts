import { once } from 'node:events';
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Home } from '../../src/app/home.ts';
import { openHome } from '../../src/app/open-home.ts';
import { type Client, createClient } from '../../src/client/client.ts';
import { type Clock, MINUTE_MS } from '../../src/core/time.ts';
import { serve } from '../../src/daemon/serve.ts';
import { readToken } from '../../src/daemon/token.ts';
import { start } from '../e2e/run-coppice.ts';
import { startDaemon } from '../http/daemon-process.ts';
import { manualClock } from '../support/clock.ts';
import { MISHAPS } from '../support/mishaps.ts';
import { tempDir } from '../support/temp-dir.ts';

const PATIENCE = { timeout: 20_000 };

it('a session that is removed while a client has it does not end the daemon', async () => {
  const clock = manualClock();
  await using home = await openHome({ path: tempDir(), clock, env: {} });
  const { client, url, said, stop } = await startServing(home, clock);
  const { id } = await client.sessions.create({ source: 'api' });
  await client.sessions.append(id, [{ role: 'user', content: 'hello' }]);
  await client.sessions.end(id, 'done');
  await client.plans.apply((await client.plans.make({ kind: 'delete', ids: [id] })).id);
  await (await home.scheduler()).add('later', { schedule: '12 12 * * *', command: ['true'] });
  clock.advance(11 * MINUTE_MS);
  // Until everything was done again that is due now.
  await expect.poll(() => readiness(url), PATIENCE).toBe(200);
  clock.advance(2 * MINUTE_MS);
  await expect.poll(() => said, PATIENCE).toContain('Started cron_later_20260115_121200.');
  expect((await client.sessions.create({ source: 'api' })).source).toBe('api');
  await stop();
});

it('a daemon whose home is closed under it ends with a failure, and its server with it', async () => {
  const home = await openHome({ path: tempDir(), env: {} });
  const { url, ended } = await startServing(home, Date);
  await home.close();
  await expect(ended).rejects.toThrow(/closed/);
  await expect(fetch(`${url}/healthz`)).rejects.toThrow();
});

it.each(['state.db', 'state.db-wal', 'live.db', 'live.db-shm', 'serve.lock.db'])(
  'a daemon whose %s is taken away ends at once, with an exit code',
  async (name) => {
    const path = tempDir();
    const { child, client, url } = await startDaemon(path);
    let log = '';
    child.stderr.setEncoding('utf8').on('data', (text) => (log += String(text)));
    await client.sessions.create({ source: 'api' });
    if (name.startsWith('live.db')) rmSync(join(path, name));
    else renameSync(join(path, name), join(path, `${name}.away`));
    const [code] = (await once(child, 'exit')) as [number];
    expect(code).toBe(1);
    expect(log).toContain(`${name} of this home was moved or removed`);
    await expect(fetch(`${url}/healthz`)).rejects.toThrow();
  },
);

it('a daemon whose database is damaged says that it is not ready, also while it has what it needs in memory', async () => {
  const path = tempDir();
  // What was written lately is in the log. A home that was closed has all of it in the database.
  const home = await openHome({ path, env: {} });
  await home.sessions.create({ source: 'api' });
  await home.close();
  const { url } = await startDaemon(path);
  expect(await readiness(url)).toBe(200);
  MISHAPS.damaged(join(path, 'state.db'));
  await expect.poll(() => readiness(url), PATIENCE).toBe(503);
});

it('serve is refused politely where it cannot listen, and leaves no lock behind', async () => {
  const [first, second] = [tempDir(), tempDir()];
  const { url } = await startDaemon(first);
  const busy = start(second, ['serve', '--port', new URL(url).port]);
  busy.stderr.resume();
  busy.stdout.resume();
  const [code] = (await once(busy, 'exit')) as [number];
  expect(code).toBe(11);
  await startDaemon(second);
});

async function readiness(url: string): Promise<number> {
  return (await fetch(`${url}/readyz`)).status;
}

/** Serves a home in this process. `stop` ends it and waits for its end. */
async function startServing(home: Home, clock: Clock) {
  const said: string[] = [];
  const stopping = new AbortController();
  let tellPlace: (place: { url: string; tokenPath: string }) => void = () => undefined;
  const ready = new Promise<{ url: string; tokenPath: string }>((resolve) => (tellPlace = resolve));
  const ended = serve({
    home,
    clock,
    address: { host: '127.0.0.1', port: 0 },
    say: (line) => void said.push(line),
    onReady: tellPlace,
    signal: stopping.signal,
  });
  const { url, tokenPath } = await Promise.race([ready, ended.then(() => Promise.reject(new Error('it ended')))]);
  const client: Client = createClient({ url, token: readToken(tokenPath) });
  const stop = async (): Promise<void> => {
    client[Symbol.dispose]();
    stopping.abort();
    await ended;
  };
  return { client, url, said, ended, stop };
}
