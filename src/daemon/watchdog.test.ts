import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { manualClock } from '../../test/support/clock.ts';
import { tempDir } from '../../test/support/temp-dir.ts';
import { openHome } from '../app/open-home.ts';
import { HOUR_MS, MINUTE_MS } from '../core/time.ts';
import { createWatchdog } from './watchdog.ts';

const MB = 1024 * 1024;

async function watched(settings: readonly { key: string; value: string }[] = []) {
  const clock = manualClock();
  const real = await openHome({ path: tempDir(), clock, env: {}, settings });
  onTestFinished(() => real.close());
  // Beside the real one: a database that grows by gigabytes, on paper only.
  const path = tempDir();
  const database = join(path, 'state.db');
  writeFileSync(database, '');
  const home = new Proxy(real, {
    get: (target, name) => (name === 'path' ? path : (Reflect.get(target, name) as unknown)),
  });
  const said: string[] = [];
  return { clock, said, database, home, look: createWatchdog({ home, clock, say: (line) => void said.push(line) }) };
}

describe('the watch on growth and free space', () => {
  it('warns once while a home grows too fast, and again when it does so later', async () => {
    const { clock, said, database, home, look } = await watched();
    const stop = new AbortController();
    const events = home.gateway.events({ signal: stop.signal });
    const first = events.next();
    truncateSync(database, 500 * MB);
    await look();
    expect(said).toEqual([]);
    truncateSync(database, 600 * MB);
    clock.advance(30 * MINUTE_MS);
    await look();
    await look();
    expect(said).toEqual(['The home grew by 600 MB within the hour. See: coppice watch']);
    expect((await first).value).toMatchObject({ kind: 'warning', message: said[0] });
    stop.abort();
    clock.advance(HOUR_MS);
    await look();
    await look();
    expect(said).toHaveLength(1);
    truncateSync(database, 2000 * MB);
    await look();
    expect(said[1]).toContain('1400 MB');
  });

  it('warns once when the disk has less free than it should', async () => {
    const { said, look } = await watched([{ key: 'disk.min_free_mb', value: '1000000000' }]);
    await look();
    await look();
    expect(said).toEqual([expect.stringMatching(/^Only \d+ MB are free on the disk\. See what can go: coppice plan$/)]);
  });
});
