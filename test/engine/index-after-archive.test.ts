import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { expect, it } from 'vitest';
import { DAY_MS } from '../../src/core/time.ts';
import { manualClock, NOW } from '../support/clock.ts';
import { openEngineHome } from '../support/engine-home.ts';
import { tempDir } from '../support/temp-dir.ts';

it('keeps the search index to what decision 23 states while sessions are archived, come back and go for good', async () => {
  const path = join(tempDir(), 'home');
  const clock = manualClock(NOW);
  await using at = await openEngineHome(path, { clock });
  for (let round = 0; round < 2; round += 1) {
    const ids = Array.from({ length: 5 }, (_, index) => `s${round}-${index}`);
    for (const [index, id] of ids.entries()) {
      const session = await at.home.sessions.create({ id, source: 'cli' });
      await session.append({ role: 'user', content: wordsFrom(round * 100_000 + index * 10_000) });
      await session.end('done');
    }
    clock.advance(2 * DAY_MS);
    await at.retention.apply(await at.retention.plan({ kind: 'archive', filter: {}, before: clock.now() }));
    expect(await at.retention.restore(ids.slice(1))).toMatchObject({ done: 4, skipped: 0 });
    const { run } = await at.retention.apply(await at.retention.plan({ kind: 'delete', ids }));
    await at.retention.emptyTrash(run.id);
    expect(indexBytes(path)).toBeLessThan(256 * 1024);
  }
});

const wordsFrom = (first: number) =>
  Array.from({ length: 6000 }, (_, at) => (Math.imul(first + at, 0x9e3779b1) >>> 0).toString(36)).join(' ');

/** As SQLite counts the pages of both search indexes. */
function indexBytes(path: string): number {
  const db = new BetterSqlite3(join(path, 'state.db'), { readonly: true });
  try {
    const sum = db.prepare(`SELECT sum(pgsize) FROM dbstat WHERE aggregate = TRUE AND name GLOB 'message_*_*'`);
    return Number(sum.pluck().get());
  } finally {
    db.close();
  }
}
