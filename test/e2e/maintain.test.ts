import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../../src/core/time.ts';
import { systemClock } from '../../src/platform/machine/system-clock.ts';
import { listed, oldHomes } from './old-home.ts';
import { coppice, coppiceJson } from './run-coppice.ts';

const { copyHome } = oldHomes();

describe('coppice maintain', () => {
  it('announces on its first pass, acts on the next, and says how to undo it', async () => {
    const home = copyHome();
    const announced = await coppice(home, ['maintain']);
    expect({ code: announced.code, stderr: announced.stderr }).toEqual({ code: 0, stderr: '' });
    expect(announced.stdout).toMatch(
      /^Nothing was removed\.\n(?:The disk has .* more\.\n)?\d+ items \(.*\) will go by \d{4}-\d\d-\d\d, unless you hold them:\n {2}It is the first pass .*\n {2}See which: coppice plan\n {2}Hold: coppice maintain hold {3}Do it now: coppice maintain --allow\n$/,
    );
    expect(await listed(home)).toHaveLength(61);
    const acted = await coppice(home, ['maintain']);
    expect({ code: acted.code, stderr: acted.stderr }).toEqual({ code: 0, stderr: '' });
    const said = /^Removed \d+ items\.\n(?:The disk has .* more\.\n)?Undo with: coppice undo (\S+)\n$/;
    const [, run = ''] = said.exec(acted.stdout) ?? [];
    expect((await listed(home)).length).toBeLessThan(61);
    expect((await coppice(home, ['undo', run, '--yes'])).code).toBe(0);
    expect(await listed(home)).toHaveLength(61);
  });

  it('does nothing by itself unless it is switched on, and then not before it is due', async () => {
    const home = copyHome();
    const off = await coppice(home, ['maintain', '--auto']);
    expect(off).toMatchObject({ code: 0, stdout: expect.stringContaining('is off. Switch it on with') as string });
    const on = ['--set', 'sessions.auto_prune=true'];
    expect((await coppice(home, ['maintain', '--auto', ...on])).stdout).toMatch(/ will go by /);
    const early = await coppice(home, ['maintain', '--auto', ...on]);
    expect(early).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Nothing is due until /) as string });
    expect(await listed(home)).toHaveLength(61);
  });

  it('holds what would go for as long as a person says, and shows it', async () => {
    const home = copyHome();
    const on = ['--set', 'sessions.auto_prune=true'];
    expect((await coppice(home, ['maintain', 'hold'])).stdout).toMatch(
      /^Held since .*\n.*: coppice maintain release\n$/,
    );
    expect((await coppice(home, ['maintain'])).stdout).toMatch(
      / items \(.*\) would go and are held\.\n {2}You hold it since/,
    );
    expect((await coppice(home, ['status', ...on])).stdout).toMatch(/would go and are held\./);
    expect(await coppiceJson(home, ['status', ...on])).toMatchObject({ heldSince: expect.any(String) as string });
    expect(await listed(home)).toHaveLength(61);
    expect((await coppice(home, ['maintain', 'release'])).code).toBe(0);
    expect((await coppice(home, ['status', ...on])).stdout).not.toMatch(/held/);
    await coppice(home, ['maintain', 'hold']);
    expect((await coppice(home, ['maintain', '--allow'])).stdout).toMatch(/^Removed \d+ items\./);
    const after = await coppiceJson(home, ['status', ...on]);
    for (const key of ['heldSince', 'waiting']) expect(after).not.toHaveProperty(key);
    await coppice(home, ['maintain', 'hold']);
    expect((await coppice(home, ['status'])).stdout).toMatch(
      /^You hold unattended maintenance since .*maintain release$/m,
    );
  });

  it('says what to do when another process is changing the home', async () => {
    const home = copyHome();
    await coppice(home, ['sessions', 'delete', 's1', '--yes']);
    const lock = new BetterSqlite3(join(home, 'lock.db'));
    lock.exec('BEGIN EXCLUSIVE');
    try {
      const busy = await coppice(home, ['maintain']);
      expect(busy).toEqual({
        code: 11,
        stdout: `Another process is changing this home, so nothing was done.
Wait until it is done, then try again. What was done shows: coppice runs list\n`,
        stderr: '',
      });
      const auto = ['maintain', '--auto', '--set', 'sessions.auto_prune=true'];
      expect((await coppice(home, auto)).code).toBe(11);
    } finally {
      lock.close();
    }
    expect(await coppiceJson(home, ['maintain', '--auto'])).toMatchObject({ status: 'off' });
  });

  it('removes nothing when the clock was set to months ahead while the machine was on, and says what to do', async () => {
    const home = copyHome();
    await coppice(home, ['maintain']);
    const { boot = '', ms = 0 } = systemClock.sinceBoot?.() ?? {};
    const db = new BetterSqlite3(join(home, 'state.db'));
    // As if the time had been another a moment ago, on the same machine.
    const before = Date.now() - 100 * DAY_MS;
    const write = db.prepare(`INSERT OR REPLACE INTO meta (key, value) VALUES ('latest-time-seen' || ?, ?)`);
    write.run('', String(before));
    write.run('-since-boot', `${before} ${ms} ${boot}`);
    db.close();
    const { code, stdout } = await coppice(home, ['maintain', '--allow']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^Nothing was removed\.\n.*Set it\. /) });
    expect(await listed(home)).toHaveLength(61);
  });
});
