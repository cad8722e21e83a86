import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openHome } from '../../src/app/open-home.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/core/time.ts';
import { Daemon } from '../../src/daemon/daemon.ts';
import { manualClock, NOW } from '../support/clock.ts';
import { collect, user } from '../support/collect.ts';
import { tempDir } from '../support/temp-dir.ts';

const BUSY = [
  { key: 'sessions.auto_prune', value: 'true' },
  { key: 'sessions.retention_days', value: '5' },
  { key: 'sessions.keep_last', value: '1' },
  { key: 'session_reset.mode', value: 'daily' },
  { key: 'trash.grace_days', value: '2' },
  { key: 'guard.max_items', value: '10000' },
];

describe('the daemon', () => {
  it('keeps a busy home within its rules for a month', async () => {
    const clock = manualClock();
    const path = tempDir();
    await using home = await openHome({ path, clock, env: {}, settings: BUSY });
    const said: string[] = [];
    const daemon = new Daemon({ home, clock, say: (line) => said.push(line) });
    await daemon.recover();
    const counts: number[] = [];
    for (let at = NOW; at < NOW + 30 * DAY_MS; at += 2 * HOUR_MS) {
      clock.set(at);
      for (const chat of ['telegram:1', 'telegram:2', 'telegram:3']) {
        const session = await home.gateway.resolve({ key: chat, source: 'telegram' });
        for (let number = 0; number < 6; number += 1) await session.append(user(`message ${number}`));
      }
      await daemon.step();
      counts.push((await collect(home.sessions.list())).length);
    }
    await daemon.stop();
    expect(daemon.chores.filter(({ trouble }) => trouble !== undefined)).toEqual([]);
    // Three conversations a day, kept five days and then gone at the next pass: it grows to that and no further.
    expect(Math.max(...counts)).toBeLessThanOrEqual(3 * 8);
    expect(counts.at(-1)).toBeGreaterThan(3 * 4);
    const { trash } = await (await home.retention()).scan();
    expect(trash.length).toBeLessThanOrEqual(3);
  });

  it('runs jobs when they are due, delivers, and says what it did', async () => {
    const clock = manualClock();
    const path = tempDir();
    await using home = await openHome({ path: join(path, 'home'), clock, env: {} });
    const said: string[] = [];
    const daemon = new Daemon({ home, clock, say: (line) => said.push(line) });
    const spec = { schedule: '0 13 * * *', command: ['echo', 'done'], deliver: [{ file: join(path, 'out.txt') }] };
    await (await home.scheduler()).add('report', spec);
    await (await home.scheduler()).add('typo', { schedule: '0 13 * * *', command: ['no-such-agent'] });
    for (; clock.now() <= NOW + 62 * MINUTE_MS; clock.advance(MINUTE_MS)) await daemon.step();
    await expect.poll(() => said, { timeout: 20_000 }).toContain('cron_report_20260115_130000: done.');
    expect(said).toContain('cron_typo_20260115_130000: failed. There is no command no-such-agent.');
    await daemon.stop();
    await (await home.scheduler()).deliver();
    expect(said).toContain('Started cron_report_20260115_130000.');
    expect(existsSync(join(path, 'out.txt'))).toBe(true);
  });

  it('ends idle conversations and watches the disk by itself', async () => {
    const clock = manualClock();
    const settings = [
      { key: 'session_reset.mode', value: 'idle' },
      { key: 'session_reset.idle_minutes', value: '30' },
      { key: 'disk.min_free_mb', value: '1000000000' },
    ];
    await using home = await openHome({ path: tempDir(), clock, env: {}, settings });
    const said: string[] = [];
    const daemon = new Daemon({ home, clock, say: (line) => said.push(line) });
    const { session } = await home.gateway.resolve({ key: 'telegram:1', source: 'telegram' });
    for (; clock.now() <= NOW + HOUR_MS; clock.advance(10 * MINUTE_MS)) await daemon.step();
    await daemon.stop();
    expect(await session.facts()).toMatchObject({ endReason: 'reset: idle' });
    expect(said.filter((line) => line.startsWith('telegram:1 starts afresh'))).toHaveLength(1);
    expect(said.filter((line) => /^Only \d+ MB are free/.test(line))).toHaveLength(1);
  });

  it('says a trouble once, goes on with everything else, and says when it is over', async () => {
    const clock = manualClock();
    await using home = await openHome({ path: tempDir(), clock, env: {} });
    const said: string[] = [];
    const broken = { key: '', on: true };
    const failing = new Proxy(home, {
      get: (target, name) => {
        if (name === 'gateway' && broken.on) throw new Error('no such thing');
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const daemon = new Daemon({ home: failing, clock, say: (line) => said.push(line) });
    for (let minute = 0; minute < 3; minute += 1, clock.advance(MINUTE_MS)) await daemon.step();
    expect(said.filter((line) => line.startsWith('Trouble with resets'))).toHaveLength(1);
    broken.on = false;
    await daemon.step();
    expect(said.at(-1)).toBe('All is well again with resets.');
    await daemon.stop();
  });
});
