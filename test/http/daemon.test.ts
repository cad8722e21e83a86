import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openHome } from '../../src/app/open-home.ts';
import { coppice } from '../e2e/run-coppice.ts';
import { tempDir } from '../support/temp-dir.ts';
import { type DaemonProcess, endDaemon, startDaemon } from './daemon-process.ts';

const KILLS = process.env['COPPICE_TORTURE'] === undefined ? 6 : 100;
const WRITERS = 8;

describe('coppice serve', () => {
  it('makes a token for its owner alone, serves, and stops in order', async () => {
    const home = join(tempDir(), 'home');
    const daemon = await startDaemon(home);
    expect(daemon.tokenPath).toBe(join(home, 'token'));
    expect(statSync(daemon.tokenPath).mode & 0o777).toBe(0o600);
    const { id } = await daemon.client.sessions.create({ source: 'api' });
    const going = Array.from({ length: 20 }, () =>
      daemon.client.sessions.append(id, [{ role: 'user', content: 'hello' }]).then(
        () => 1,
        () => 0,
      ),
    );
    const [first] = going;
    await first;
    expect(await endDaemon(daemon, 'SIGTERM')).toBe(0);
    const acknowledged = (await Promise.all(going)).reduce<number>((sum, one) => sum + one, 0);
    await using after = await openHome({ path: home });
    expect((await after.sessions.find(id)).messageCount).toBeGreaterThanOrEqual(acknowledged);
  });

  it('serves a home once', async () => {
    const home = join(tempDir(), 'home');
    const daemon = await startDaemon(home);
    const second = await coppice(home, ['serve', '--port', '0']);
    expect([second.code, second.stderr]).toEqual([11, expect.stringContaining('served already')]);
    expect(await endDaemon(daemon, 'SIGINT')).toBe(0);
    expect(await endDaemon(await startDaemon(home), 'SIGTERM')).toBe(0);
  });

  it('listens on a socket, says where the token is and never what it is', async () => {
    const home = join(tempDir(), 'home');
    mkdirSync(home, { mode: 0o700 });
    const socket = join(home, 'serve.sock');
    const daemon = await startDaemon(home, ['--socket', socket]);
    expect(daemon.url).toBe(`unix:${socket}`);
    expect(await daemon.client.usage()).toMatchObject({ spending: [] });
    expect(await endDaemon(daemon, 'SIGTERM')).toBe(0);
    expect(existsSync(socket)).toBe(false);
  });

  it('refuses a token that others can read, an address beyond this machine, and a socket with a port', async () => {
    const home = join(tempDir(), 'home');
    mkdirSync(home, { mode: 0o700 });
    const wide = await coppice(home, ['serve', '--host', '0.0.0.0', '--port', '0']);
    expect([wide.code, wide.stderr]).toEqual([5, expect.stringContaining('--public')]);
    expect((await coppice(home, ['serve', '--socket', 'x', '--port', '1'])).code).toBe(2);
    writeFileSync(join(home, 'token'), `${'x'.repeat(43)}\n`);
    chmodSync(join(home, 'token'), 0o644);
    const open = await coppice(home, ['serve', '--port', '0']);
    expect([open.code, open.stderr]).toEqual([5, expect.stringContaining('no secret')]);
    expect(open.stderr).not.toContain('xxx');
  });

  it(`loses no message that it acknowledged, killed ${KILLS} times at work`, {
    timeout: 30_000 + KILLS * 15_000,
  }, async () => {
    const home = join(tempDir(), 'home');
    const acknowledged = new Map<string, string[]>();
    for (let round = 0; round < KILLS; round += 1) {
      const daemon = await startDaemon(home);
      const token = readFileSync(daemon.tokenPath, 'utf8');
      const writers = Array.from({ length: WRITERS }, (_, n) => write(daemon, `key:${n}`, acknowledged));
      // Not by the clock: after so many answers, a different number each time.
      await enough(acknowledged, WRITERS * (3 + 7 * (round % 5)));
      await endDaemon(daemon, 'SIGKILL');
      await Promise.all(writers);
      expect(readFileSync(daemon.tokenPath, 'utf8')).toBe(token);
    }
    await using after = await openHome({ path: home });
    for (const [id, contents] of acknowledged) {
      const stored = new Set<unknown>();
      for await (const { content } of (await after.sessions.open(id)).messages()) stored.add(content);
      expect(contents.filter((content) => !stored.has(content))).toEqual([]);
    }
    for await (const { session } of after.gateway.routes()) expect(session?.endedAt).toBeUndefined();
    const found: string[] = [];
    for await (const { problems } of after.check()) found.push(...problems.map(({ kind }) => kind));
    // What a kill leaves behind is named; nothing of it is damage.
    expect(found.filter((kind) => /damaged|wrong|broken|orphan|unreadable|unknown/.test(kind))).toEqual([]);
  });
});

let sent = 0;

/** Writes until nobody answers any more, and notes what was acknowledged. */
async function write({ client }: DaemonProcess, key: string, acknowledged: Map<string, string[]>): Promise<void> {
  try {
    const { session } = await client.routes.resolve({ key, source: 'telegram' });
    for (;;) {
      const content = `message ${(sent += 1)}`;
      await client.sessions.append(session.id, [{ role: 'user', content }]);
      acknowledged.set(session.id, [...(acknowledged.get(session.id) ?? []), content]);
    }
  } catch {
    // The daemon was killed, which is how this ends.
  }
}

async function enough(acknowledged: Map<string, string[]>, more: number): Promise<void> {
  const count = () => [...acknowledged.values()].reduce((sum, { length }) => sum + length, 0);
  const goal = count() + more;
  await expect.poll(count, { timeout: 30_000, interval: 5 }).toBeGreaterThanOrEqual(goal);
}
