import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { expect, it } from 'vitest';
import { DAY_MS } from '../../src/core/time.ts';
import { walkTree } from '../../src/platform/files/walk-tree.ts';
import { manualClock, NOW } from '../support/clock.ts';
import { openEngineHome } from '../support/engine-home.ts';
import { tempDir } from '../support/temp-dir.ts';

const BLOCK_BYTES = 4096;
const SESSIONS = 40;

it('frees what emptying the trash reports, within one percent or a block for each item', async () => {
  await using full = await fullHome();
  const { at } = full;
  const { run } = await at.retention.apply(await at.retention.plan({ kind: 'delete', ids: full.ids }));
  await full.frees(() => at.retention.emptyTrash(run.id));
});

it('frees nothing by filling the trash, and what it reports once rules empty it', async () => {
  await using full = await fullHome();
  const { at, clock } = full;
  const plan = await at.retention.plan({ kind: 'delete', ids: full.ids });
  expect((await at.retention.apply(plan)).freedBytes).toBe(0);
  clock.advance(8 * DAY_MS);
  const empty = await at.retention.plan();
  expect(empty.decisions.map(({ item, action }) => [item.kind, action])).toEqual([['trash', 'purge']]);
  await full.frees(() => at.retention.apply(empty));
});

it('frees what archiving reports: files and messages less the bundle', async () => {
  await using full = await fullHome();
  const { at } = full;
  const plan = await at.retention.plan({ kind: 'archive', filter: { source: 'cli' } });
  expect(plan.decisions.filter(({ action }) => action === 'archive').length).toBeGreaterThan(SESSIONS / 2);
  await full.frees(() => at.retention.apply(plan));
});

/** A home of ended sessions, and a step in it whose report is compared with the disk before and after. */
async function fullHome() {
  const path = join(tempDir(), 'home');
  const clock = manualClock(NOW);
  const at = await openEngineHome(path, { clock });
  const ids = Array.from({ length: SESSIONS }, (_, index) => `s${index}`);
  for (const [index, id] of ids.entries()) {
    const session = await at.home.sessions.create({ id, source: 'cli' });
    const content = `${id} `.repeat(2000 + index * 500);
    await session.appendAll(Array.from({ length: 6 }, () => ({ role: 'user' as const, content })));
    await session.dump({ url: 'https://example.com', body: { text: 'x'.repeat(index * 3000) } });
    await session.end('done');
  }
  giveBackUnused(path);
  clock.advance(2 * DAY_MS);
  const frees = async (step: () => Promise<{ readonly freedBytes: number }>) => {
    // What was written so far is in the log of the database; now it is in the file that is measured.
    checkpoint(path);
    const before = diskUsage(path);
    const { freedBytes } = await step();
    const difference = before - diskUsage(path);
    expect(freedBytes).toBeGreaterThan(1_000_000);
    expect(Math.abs(difference - freedBytes)).toBeLessThanOrEqual(Math.max(freedBytes / 100, SESSIONS * BLOCK_BYTES));
  };
  return { at, clock, ids, frees, [Symbol.asyncDispose]: () => at[Symbol.asyncDispose]() };
}

function checkpoint(path: string): void {
  using database = open(path);
  database.raw.pragma('wal_checkpoint(TRUNCATE)');
}

/** Merging the search index leaves pages that are used again, unless somebody gives them back first. */
function giveBackUnused(path: string): void {
  using database = open(path);
  database.raw.exec('PRAGMA incremental_vacuum');
}

function open(path: string) {
  const raw = new BetterSqlite3(join(path, 'state.db'));
  return { raw, [Symbol.dispose]: () => void raw.close() };
}

/** What the home takes on the disk, the log of the database aside: it is emptied and filled as others come and go. */
function diskUsage(path: string): number {
  let bytes = 0;
  for (const entry of walkTree(path))
    if ('diskBytes' in entry && !entry.path.endsWith('-wal')) bytes += entry.diskBytes;
  return bytes + lstatSync(path).blocks * 512;
}
