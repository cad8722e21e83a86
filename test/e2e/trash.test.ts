import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { type Home, openHome } from '../../src/index.ts';
import { RESERVE_TOLD } from '../support/reserve-told.ts';
import { DAY_MS, listed, oldHomes, type PlanJson, type RunJson } from './old-home.ts';
import { coppice, coppiceJson, finished, start } from './run-coppice.ts';

const { root, copyHome } = oldHomes();

describe('the trash', () => {
  it('gives back one session of a run, and empties for good', async () => {
    const home = copyHome();
    const { run } = await coppiceJson<RunJson>(home, ['sessions', 'delete', 's57', 's58', 's59', '--yes']);
    const list = await coppice(home, ['trash', 'list']);
    expect(list.stdout).toMatch(new RegExp(`^Run ${run.id}\ndelete 3 sessions\n3 items, .*, kept until `));
    expect(list.stdout).toMatch(/^s57 +Talk 57 +.* remove +asked for$/m);
    const unknown = await coppice(home, ['trash', 'restore', run.id, 's57', 's1']);
    expect(unknown).toMatchObject({ code: 10, stdout: '' });
    const restored = await coppice(home, ['trash', 'restore', run.id, 's57']);
    expect(restored).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Gave back 1 session \(/) as string });
    expect(await listed(home)).toContain('s57');
    const shown = await coppice(home, ['runs', 'show', run.id]);
    expect(shown.stdout).toMatch(/^s57 .* given back$/m);
    expect(shown.stdout).toMatch(/^s58 .* in the trash$/m);

    expect(await coppice(home, ['trash', 'empty'])).toMatchObject({ code: 2, stdout: '' });
    expect((await coppice(home, ['trash', 'empty', '--expired', '--yes'])).stdout).toBe('There is nothing to empty.\n');
    expect(await coppice(home, ['trash', 'empty', run.id])).toMatchObject({ code: 5, stdout: '' });
    const emptied = await coppice(home, ['trash', 'empty', run.id, '--yes']);
    expect(emptied).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Removed 2 items for good \(/) as string });
    expect((await coppice(home, ['undo', run.id, '--yes'])).code).toBe(10);
    expect(await listed(home)).toHaveLength(59);
    expect((await coppice(home, ['doctor'])).code).toBe(0);
  });

  it('empties everything, or only what can no longer be undone', async () => {
    const home = copyHome();
    await using past: Home = await openHome({ path: home, env: {}, clock: { now: () => Date.now() - 10 * DAY_MS } });
    const { run } = await coppiceJson<RunJson>(home, ['sessions', 'delete', 's2', '--yes']);
    await past.apply(await past.plan({ kind: 'delete', ids: ['s1'] }));
    const expired = await coppiceJson<{ runs: string[]; itemCount: number }>(home, [
      'trash',
      'empty',
      '--expired',
      '--yes',
    ]);
    expect(expired.itemCount).toBe(1);
    expect(expired.runs).not.toContain(run.id);
    expect(await coppiceJson(home, ['trash', 'empty', '--all', '--yes'])).toMatchObject({
      runs: [run.id],
      itemCount: 1,
    });
  });
});

describe('trash that is over its time', () => {
  it('is called that, and goes with a command that finds nothing else to remove', async () => {
    const home = copyHome();
    const run = await longAgo(home);
    const status = (await coppice(home, ['status'])).stdout;
    expect(status).toMatch(/^Runs in the trash +1 .* over$/m);
    expect(status).toMatch(
      /^In the trash, over its time: .*The next change frees it, or: coppice trash empty --expired$/m,
    );
    expect((await coppice(home, ['trash', 'list'])).stdout).toMatch(
      /, its time is over and the next change removes it$/m,
    );
    expect((await coppice(home, ['runs', 'show', run])).stdout).toMatch(/^Its time is over .*: coppice undo /m);

    const { stdout } = await coppice(home, ['sessions', 'prune', '--older-than', '9999d', '--yes']);
    expect(stdout).toMatch(/^Emptied the trash of 1 item whose time to undo was over\.$/m);
    expect(stdout).toMatch(/^Nothing was removed\.$/m);
    expect((await coppice(home, ['trash', 'list'])).stdout).toBe('The trash is empty.\n');
  });

  async function longAgo(path: string): Promise<string> {
    await using past: Home = await openHome({ path, env: {}, clock: { now: () => Date.now() - 10 * DAY_MS } });
    const { run } = await past.apply(await past.plan({ kind: 'delete', ids: ['s1'] }));
    return run.id;
  }
});

describe('Ctrl-C while a plan is applied', () => {
  it('stops between two groups, ends its run as it stands, and says how to go on', async () => {
    const home = join(root, 'interrupted');
    await makeManyEmpty(home, 5000);
    const { id, totals } = await coppiceJson<PlanJson>(home, ['plan']);
    expect(totals.go.items).toBe(5000);
    const child = start(home, ['apply', id, '--yes']);
    const ended = finished(child);
    await until(() => count(home, "SELECT count(*) FROM sessions WHERE state = 'trashed'") > 0);
    child.kill('SIGINT');
    const { code, stdout, stderr } = await ended;
    expect(code).toBe(130);
    expect(stdout).toMatch(/^Removed [\d,]+ sessions? \(.*\)\.\nUndo until .*: coppice undo [0-9a-f-]{36}\n$/);
    expect(stderr).toMatch(/Stopped\. What is left was not touched\. To go on, make a new plan: coppice plan\n$/);
    const gone = count(home, "SELECT count(*) FROM sessions WHERE state = 'trashed'");
    expect(gone).toBeGreaterThan(0);
    expect(gone).toBeLessThan(5000);
    expect(count(home, "SELECT count(*) FROM run_items WHERE state = 'trashed'")).toBe(gone);
    // It asked for its run in order to tell of it, and that ends what was cut short, its own run included.
    expect(count(home, 'SELECT count(*) FROM runs WHERE finished_at IS NULL')).toBe(0);
    expect((await coppice(home, ['doctor'])).stdout).not.toContain('cut short');

    const rest = await coppiceJson<PlanJson>(home, ['plan']);
    expect(rest.totals.go.items).toBe(5000 - gone);
    const again = await coppice(home, ['apply', rest.id, '--yes']);
    expect(again).toMatchObject({ code: 0, stderr: expect.stringMatching(RESERVE_TOLD) as string });
    expect(await listed(home)).toEqual([]);
    expect((await coppice(home, ['doctor'])).code).toBe(0);
  });
});

it('waits for another that changes the home, and exits 11 when it does not end', async () => {
  const home = copyHome();
  await coppice(home, ['sessions', 'delete', 's59', '--yes']);
  const lock = new BetterSqlite3(join(home, 'lock.db'));
  lock.exec('BEGIN EXCLUSIVE');
  const { code, stdout, stderr } = await coppice(home, ['sessions', 'gc', '--yes']);
  lock.close();
  expect({ code, stdout }).toEqual({ code: 11, stdout: '' });
  expect(stderr).toMatch(/Another process is changing what this home keeps.*\n.*try again/);
});

/** Many sessions without messages, written in one go: what counts is how many there are. */
async function makeManyEmpty(home: string, sessions: number): Promise<void> {
  await (await openHome({ path: home, env: {} })).close();
  const at = Date.now() - 30 * DAY_MS;
  const database = new BetterSqlite3(join(home, 'state.db'));
  database.exec(`WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${sessions})
    INSERT INTO sessions (id, state, source, started_at, last_active_at, ended_at, end_reason)
    SELECT 'empty-' || n, 'live', 'cli', ${at}, ${at}, ${at}, 'done' FROM numbers`);
  database.close();
}

function count(home: string, sql: string): number {
  const database = new BetterSqlite3(join(home, 'state.db'), { readonly: true });
  try {
    return Number(database.prepare(sql).pluck().get());
  } finally {
    database.close();
  }
}

async function until(reached: () => boolean): Promise<void> {
  while (!reached()) await new Promise((resolve) => setTimeout(resolve, 5));
}
