import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openHome, type SessionStats } from '../../src/index.ts';
import { DAY_MS, oldHomes, type PlanJson } from './old-home.ts';
import { coppice, coppiceJson } from './run-coppice.ts';

const { root, copyHome } = oldHomes();
const HOUR_MS = DAY_MS / 24;

const statsOf = (home: string, ...more: readonly string[]) =>
  coppiceJson<SessionStats & { tip: string }>(home, ['sessions', 'stats', ...more]);

describe('coppice sessions stats', () => {
  it('names the command that would free most, by as much as its own plan says', async () => {
    const home = copyHome();
    const { cleanUps, tip } = await statsOf(home);
    expect(cleanUps.map(({ command }) => command)).toEqual(['sessions prune', 'sessions gc']);
    expect(tip).toMatch(/^Tip: 14 sessions past their retention take .*\. Remove them with: coppice sessions prune$/);
    for (const { command, items, sizeBytes } of cleanUps) {
      const { totals } = await coppiceJson<PlanJson>(home, [...command.split(' '), '--dry-run']);
      expect(totals.go).toEqual({ items, sizeBytes });
    }
    expect((await coppice(home, ['sessions', 'stats'])).stdout).toContain(`\n${tip}\n`);
  });

  it('goes by the rules in force, and names another command once that one has nothing left', async () => {
    const home = copyHome();
    expect((await statsOf(home, '--set', 'sessions.retention_days=never')).tip).toMatch(/coppice sessions gc$/);
    expect((await statsOf(home, '--set', 'sessions.archive_after_days=10')).tip).toMatch(
      /^Tip: \d+ sessions in the archive would take about .* less\. Move them with: coppice sessions archive$/,
    );
    expect((await statsOf(home, '--set', 'sessions.transcript_retention_days=2')).tip).toMatch(
      /coppice sessions prune --files-only$/,
    );
    const dir = join(home, 'sessions', 'zz', 'gone');
    mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, 'transcript.jsonl'), 'x'.repeat(1_000_000));
    const long = new Date(Date.now() - 30 * DAY_MS);
    for (const path of [join(dir, 'transcript.jsonl'), dir]) utimesSync(path, long, long);
    const [most] = (await statsOf(home)).cleanUps;
    expect(most).toMatchObject({ command: 'sessions prune --files-only', items: 1 });
    expect(most?.sizeBytes).toBeGreaterThanOrEqual(1_000_000);
    for (const line of [['prune', '--files-only'], ['prune'], ['gc']]) {
      expect((await coppice(home, ['sessions', ...line, '-y'])).code).toBe(0);
    }
    const { cleanUps, tip } = await statsOf(home);
    expect(cleanUps).toEqual([]);
    expect(tip).toMatch(/^Tip: /);
  });

  it('counts checkpoints, and says when they are what takes most', async () => {
    const home = copyHome();
    const workdir = join(root, 'work');
    mkdirSync(workdir);
    {
      let now = Date.now() - 20 * DAY_MS;
      await using open = await openHome({ path: home, env: {}, clock: { now: () => now } });
      for (let at = 0; at < 3; at += 1) {
        writeFileSync(join(workdir, 'file'), Array.from({ length: 40_000 }, () => Math.random()).join());
        await open.checkpoints.take({ workdir });
        now += 1000;
      }
    }
    const { checkpoints, cleanUps, tip } = await statsOf(home, '--set', 'checkpoints.max_snapshots=1');
    expect(checkpoints.count).toBe(3);
    expect(checkpoints.sizeBytes).toBeGreaterThan(900_000);
    expect(cleanUps[0]).toMatchObject({ command: 'checkpoints prune', items: 2 });
    expect(tip).toMatch(/^Tip: 2 checkpoints beyond the limits take .*: coppice checkpoints prune$/);
    expect((await coppice(home, ['sessions', 'stats'])).stdout).toMatch(
      /^CHECKPOINTS +COUNT +SIZE\nof working directories +3 +\d.* [KM]B$/m,
    );
  });

  it('tells ages apart by the hour on the first day', async () => {
    const home = join(root, 'ages');
    const startedAt = Date.now();
    let ageHours = 0;
    {
      await using open = await openHome({ path: home, env: {}, clock: { now: () => startedAt - ageHours * HOUR_MS } });
      for (ageHours of [0.5, 3, 5, 12, 48, 200, 1000, 5000])
        await (await open.sessions.create({ source: 'cli' })).end('done');
    }
    const { byAge } = await statsOf(home);
    expect(byAge.map(({ maxHours, sessions }) => [maxHours, sessions])).toEqual([
      [1, 1],
      [6, 2],
      [24, 1],
      [168, 1],
      [720, 1],
      [2160, 1],
      [undefined, 1],
    ]);
    const { stdout } = await coppice(home, ['sessions', 'stats']);
    for (const label of [
      'in the last hour',
      '1 to 6 hours ago',
      '6 to 24 hours ago',
      '1 to 7 days ago',
      '7 to 30 days ago',
      '30 to 90 days ago',
      'longer ago',
    ]) {
      expect(stdout).toMatch(new RegExp(`^${label} +\\d`, 'm'));
    }
  });
});
