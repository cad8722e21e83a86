import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { openHome } from '../../src/app/open-home.ts';
import { DAY_MS } from '../../src/core/time.ts';
import { manualClock } from '../support/clock.ts';
import { listed } from './old-home.ts';
import { coppice, coppiceJson, sandbox } from './run-coppice.ts';

interface PlanJson {
  readonly id: string;
  readonly totals: { readonly go: { items: number }; readonly forGood: { items: number } };
  readonly decisions: readonly { readonly action: string; readonly forGood?: true; readonly item: { id: string } }[];
}
interface CarriedJson {
  readonly run: { readonly id: string };
  readonly waitingBytes: number;
  readonly items: readonly { readonly id: string; readonly forGood?: true }[];
}

const SESSIONS = 60;
const CAP = ['--set', 'disk.max_mb=8', '--set', 'disk.ballast_mb=never'];

describe('a size limit that cannot be held without losing something for good', () => {
  const root = sandbox();
  const made = join(root, 'made');
  let copies = 0;

  beforeAll(async () => {
    const clock = manualClock(Date.now() - 70 * DAY_MS);
    await using home = await openHome({ path: made, clock, env: {} });
    for (let at = 0; at < SESSIONS; at += 1) {
      clock.advance(DAY_MS);
      const session = await home.sessions.create({ id: `s${at}`, source: 'cli' });
      // Few words, so that the index stays small beside them.
      for (let part = 0; part < 8; part += 1)
        await session.append({ role: 'user', content: 'the same few words again '.repeat(1600) });
      await session.end('done');
    }
  });

  function copy(): string {
    const home = join(root, `home-${(copies += 1)}`);
    cpSync(made, home, { recursive: true });
    return home;
  }

  const planOf = (home: string) => coppiceJson<PlanJson>(home, ['plan', ...CAP]);

  it('is said of each row and in total, before anything happens', async () => {
    const home = copy();
    const { totals, decisions } = await planOf(home);
    const marked = decisions.filter(({ forGood }) => forGood === true);
    expect(marked.length).toBeGreaterThan(5);
    expect(totals.forGood.items).toBe(marked.length);
    const { stdout } = await coppice(home, ['plan', ...CAP]);
    expect(stdout).toMatch(/^\d+ items \(.*\) would go FOR GOOD, because space is short: nothing brings them back\.$/m);
    expect(stdout).toMatch(/^remove FOR GOOD +space is short/m);
    expect(await listed(home)).toHaveLength(SESSIONS);
  });

  it('is not agreed to by --yes alone: everything comes back, and the exit code says that the limit is not held yet', async () => {
    const home = copy();
    const plan = await planOf(home);
    const applied = await coppice(home, ['apply', plan.id, '--yes', ...CAP]);
    expect(applied.code).toBe(4);
    expect(applied.stdout).toMatch(/did not go for good, because --for-good was not given/);
    expect(applied.stdout).not.toMatch(/FOR GOOD/);
    expect((await listed(home)).length).toBeLessThan(SESSIONS);
    expect((await coppice(home, ['undo', '--yes'])).code).toBe(0);
    expect((await listed(home)).toSorted()).toEqual(Array.from({ length: SESSIONS }, (_, at) => `s${at}`).toSorted());
  });

  it('goes with --for-good, and an undo is announced for nothing of it', async () => {
    const home = copy();
    const plan = await planOf(home);
    const wanted = plan.decisions.filter(({ forGood }) => forGood === true).map(({ item }) => item.id);
    const carried = await coppiceJson<CarriedJson>(home, ['apply', plan.id, '--yes', '--for-good', ...CAP]);
    const gone = carried.items.filter(({ forGood }) => forGood === true).map(({ id }) => id);
    expect(gone).toEqual(wanted);
    const { items } = await coppiceJson<CarriedJson>(home, ['runs', 'show', carried.run.id]);
    expect(items.filter(({ forGood }) => forGood === true).map(({ id }) => id)).toEqual(wanted);
    await coppice(home, ['undo', '--yes']);
    expect(await listed(home)).toHaveLength(SESSIONS - gone.length);
  });

  it('is told apart from the rest, which an undo brings back', async () => {
    const home = copy();
    const both = ['--set', 'sessions.retention_days=30', '--set', 'disk.max_mb=36', '--set', 'disk.ballast_mb=never'];
    const { id, totals } = await coppiceJson<PlanJson>(home, ['plan', ...both]);
    const back = totals.go.items - totals.forGood.items;
    expect(Math.min(back, totals.forGood.items)).toBeGreaterThan(0);
    const { stdout } = await coppice(home, ['apply', id, '--yes', '--for-good', ...both]);
    expect(stdout).toMatch(
      new RegExp(`^Undo of the other ${back} items until \\d{4}-\\d\\d-\\d\\d: coppice undo`, 'm'),
    );
    const part = `(${back} of ${totals.go.items})`;
    expect((await coppice(home, ['runs', 'list'])).stdout).toMatch(/\d{4}-\d\d-\d\d \(\d+ of \d+\)$/m);
    expect((await coppice(home, ['runs', 'list'])).stdout).toContain(part);
    await coppice(home, ['undo', '--yes']);
    expect((await coppice(home, ['runs', 'list'])).stdout).toContain(`undone ${part}`);
  });

  it('goes in unattended runs only where the setting says so', async () => {
    const on = [...CAP, '--set', 'guard.max_items=1000'];
    for (const [setting, lost] of [
      ['disk.for_good=false', false],
      ['disk.for_good=true', true],
    ] as const) {
      const home = copy();
      const pass = ['maintain', '--set', setting, ...on];
      await coppice(home, pass);
      const { stdout } = await coppice(home, pass);
      const gone = SESSIONS - (await listed(home)).length;
      expect(gone).toBeGreaterThan(0);
      expect(/went FOR GOOD and cannot be undone/.test(stdout)).toBe(lost);
      await coppice(home, ['undo', '--yes']);
      expect((await listed(home)).length === SESSIONS).toBe(!lost);
    }
  });
});
