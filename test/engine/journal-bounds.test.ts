import { existsSync } from 'node:fs';
import BetterSqlite3 from 'better-sqlite3';
import { beforeEach, describe, expect, it } from 'vitest';
import { DAY_MS } from '../../src/core/time.ts';
import { collect } from '../support/collect.ts';
import { type FreshHome, freshEngineHome } from '../support/fresh-engine-home.ts';

const RUNS = 10_000;

describe('the journal of a home with very many runs', () => {
  let { clock, at } = {} as FreshHome;
  beforeEach(async () => {
    ({ clock, at } = await freshEngineHome());
  });

  async function removeOne(id: string): Promise<string> {
    const session = await at.home.sessions.create({ id, source: 'cli', title: `about ${id}` });
    await session.append({ role: 'user', content: 'hello' });
    await session.end('done');
    clock.advance(1000);
    const { run } = await at.retention.apply(await at.retention.plan({ kind: 'delete', ids: [id] }));
    return run.id;
  }

  /** Runs of long ago whose items are gone for good, three each, written in one go. */
  function settledRuns(endAt: number): void {
    const db = new BetterSqlite3(at.parts.layout.database);
    const numbers = (count: number) =>
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`;
    db.exec(`BEGIN; ${numbers(RUNS)} INSERT INTO runs SELECT 'settled-' || i, '{"kind":"policy"}', ${endAt} - i, ${endAt}, ${endAt} FROM n;
      ${numbers(3)} INSERT INTO run_items SELECT id, i, 'session', 's', 'remove', 'retention', '', 1, 0, 'purged', NULL, NULL
      FROM runs, n WHERE id LIKE 'settled-%'; COMMIT`);
    db.close();
  }

  const runIds = async () => (await collect(at.retention.runs())).map(({ id }) => id);

  it('keeps the newest of those that are settled, and every one that can be undone', async () => {
    const first = await removeOne('first');
    settledRuns(clock.now() + 1000);
    clock.advance(2000);
    const next = await removeOne('next');
    const ids = await runIds();
    // The first run is older than all the others, and still has something to give back.
    expect(ids).toHaveLength(1001);
    expect([ids[0], ids.at(-1)]).toEqual([next, first]);
    expect(await at.retention.undo(first)).toMatchObject({ done: 1, skipped: 0 });
    expect((await collect(at.home.sessions.list())).map(({ id }) => id)).toEqual(['first']);
  });

  it('forgets in an unattended pass what is older than a season, and the ledger still tells of it', async () => {
    const run = await removeOne('gone');
    settledRuns(clock.now());
    await at.retention.emptyTrash(run);
    expect(existsSync(at.parts.layout.trash(run))).toBe(false);
    clock.advance(89 * DAY_MS);
    await at.retention.maintain({ now: true });
    expect(await runIds()).toHaveLength(1000);
    expect(await runIds()).toContain(run);
    clock.advance(2 * DAY_MS);
    await at.retention.maintain({ now: true });
    expect(await runIds()).toEqual([]);
    expect((await collect(at.parts.store.ledger())).map(({ id }) => id)).toEqual(['gone']);
  });
});
