import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstatSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import BetterSqlite3 from 'better-sqlite3';
import * as fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { manualClock, NOW } from '../../../test/support/clock.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { type Counters, SPENT_COUNTERS, type SpendBook, type SpendKey } from '../../core/gateway.ts';
import { DAY_MS } from '../../core/time.ts';
import { openSpendBook } from './spend-book.ts';

const SESSION: SpendKey = { scope: 'session', key: 's', period: '' };
const DAY: SpendKey = { scope: 'day', key: '', period: '2026-01-15' };
const CLAIMER = fileURLToPath(new URL('../../../test/support/spend-claimer.js', import.meta.url));

function openBook(path = join(tempDir(), 'live.db'), clock = manualClock()): SpendBook {
  const book = openSpendBook({ path, clock });
  onTestFinished(() => book[Symbol.dispose]());
  return book;
}

const usedBy = (book: SpendBook, key: SpendKey) => book.read([key])[0]?.used;

describe('the spend book', () => {
  it('counts from zero and adds to each row', () => {
    const book = openBook();
    expect(book.read([SESSION])).toEqual([{ ...SESSION, used: { tokens: 0, nanoUsd: 0, iterations: 0, wallMs: 0 } }]);
    book.add([SESSION, DAY], { tokens: 5, nanoUsd: 7 });
    book.add([DAY], { tokens: 1, iterations: 4, wallMs: 6 });
    expect(usedBy(book, SESSION)).toMatchObject({ tokens: 5, nanoUsd: 7, iterations: 0 });
    expect(usedBy(book, DAY)).toEqual({ tokens: 6, nanoUsd: 7, iterations: 4, wallMs: 6 });
  });

  it('begins a row once', () => {
    const book = openBook();
    book.begin(SESSION, { tokens: 100 });
    book.add([SESSION], { tokens: 1 });
    book.begin(SESSION, { tokens: 100 });
    expect(usedBy(book, SESSION)).toMatchObject({ tokens: 101 });
  });

  it('counts a step with the time before it, and gives back the totals before that', () => {
    const book = openBook();
    book.add([SESSION], { tokens: 9, wallMs: 5 });
    const claim = () => book.claim({ counted: SESSION, wallMs: 10, below: { iterations: 2, tokens: 10, wallMs: 100 } });
    expect(claim()).toMatchObject({ ...SESSION, used: { tokens: 9, iterations: 0, wallMs: 5 } });
    expect(claim()).toMatchObject({ used: { tokens: 9, iterations: 1, wallMs: 15 } });
    expect(claim()).toBeUndefined();
    expect(usedBy(book, SESSION)).toMatchObject({ tokens: 9, iterations: 2, wallMs: 25 });
  });

  it('counts no step once any total has reached its limit, or would with the time that has passed', () => {
    const counters = fc.record(
      Object.fromEntries(SPENT_COUNTERS.map((name) => [name, fc.nat(4)])) as Record<
        keyof Counters,
        fc.Arbitrary<number>
      >,
    );
    const limits = fc.record(
      Object.fromEntries(SPENT_COUNTERS.map((name) => [name, fc.integer({ min: 1, max: 6 })])) as Record<
        keyof Counters,
        fc.Arbitrary<number>
      >,
      { requiredKeys: [] },
    );
    const book = openBook();
    let round = 0;
    fc.assert(
      fc.property(counters, limits, fc.nat(4), (used, below, wallMs) => {
        const counted = { ...SESSION, key: `round-${(round += 1)}` };
        book.begin(counted, used);
        const reached = SPENT_COUNTERS.some((name) => {
          return used[name] + (name === 'wallMs' ? wallMs : 0) >= (below[name] ?? Infinity);
        });
        expect(book.claim({ counted, wallMs, below })?.used).toEqual(reached ? undefined : used);
        const after = { ...used, iterations: used.iterations + 1, wallMs: used.wallMs + wallMs };
        expect(usedBy(book, counted)).toEqual(reached ? used : after);
      }),
    );
  });

  it('counts the first step of a session that it has forgotten', () => {
    const book = openBook();
    expect(book.claim({ counted: SESSION, wallMs: 3, below: { iterations: 1 } })).toMatchObject({
      used: { wallMs: 0 },
    });
    expect(book.claim({ counted: SESSION, wallMs: 3, below: { iterations: 1 } })).toBeUndefined();
    expect(usedBy(book, SESSION)).toMatchObject({ iterations: 1, wallMs: 3 });
  });

  it('shows what any connection added since the last look, whoever looks', () => {
    const path = join(tempDir(), 'live.db');
    const books = [openBook(path), openBook(path)];
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), fc.nat(1))), (steps) => {
        let expected = usedBy(openBook(path), DAY)?.tokens ?? 0;
        for (const [adds, by] of steps) {
          if (adds) books[by]?.add([DAY], { tokens: 1 });
          expected += adds ? 1 : 0;
          const book = books[by];
          expect(book && usedBy(book, DAY)?.tokens).toBe(expected);
        }
      }),
      { numRuns: 20 },
    );
  });

  it('keeps its log short, however many steps are counted', () => {
    const path = join(tempDir(), 'live.db');
    const book = openBook(path);
    for (let step = 0; step < 10_000; step += 1) book.claim({ counted: SESSION, wallMs: 1, below: {} });
    expect(lstatSync(`${path}-wal`).size).toBeLessThan(6_000_000);
  });

  it('lists a scope, the newest day first, and forgets what was not touched since', () => {
    const clock = manualClock(NOW - 40 * DAY_MS);
    const book = openBook(join(tempDir(), 'live.db'), clock);
    const old = { ...DAY, period: '2025-12-06' };
    book.add([old, { ...SESSION, key: 'old' }, SESSION], { tokens: 1 });
    clock.set(NOW);
    book.add([DAY, SESSION], { tokens: 1 });
    expect(book.list('day').map(({ period }) => period)).toEqual([DAY.period, old.period]);
    book.dropBefore(NOW - 30 * DAY_MS);
    expect(book.list('day').map(({ period }) => period)).toEqual([DAY.period]);
    expect(book.list('session')).toMatchObject([{ key: 's', used: { tokens: 2 } }]);
  });

  it('is a private file, and a folder that is not there is said in a sentence', () => {
    const path = join(tempDir(), 'live.db');
    openBook(path);
    expect(lstatSync(path).mode & 0o777).toBe(0o600);
    expect(() => openBook(join(tempDir(), 'missing', 'live.db'))).toThrow('The folder for');
  });

  it('says what to do about a file that is damaged', () => {
    const path = join(tempDir(), 'live.db');
    writeFileSync(path, 'not a database, but longer than the header of one is: '.repeat(10));
    expect(() => openBook(path)).toThrow(
      expect.objectContaining({ code: 'integrity', hint: expect.stringContaining('move the file away') as string }),
    );
  });

  it('goes on with the totals of the first version, without the sizes that it counted', () => {
    const path = join(tempDir(), 'live.db');
    const first = new BetterSqlite3(path);
    first.exec(`CREATE TABLE spend (scope TEXT NOT NULL, key TEXT NOT NULL, period TEXT NOT NULL, messages INTEGER NOT NULL,
      bytes INTEGER NOT NULL, tokens INTEGER NOT NULL, nano_usd INTEGER NOT NULL, iterations INTEGER NOT NULL,
      wall_ms INTEGER NOT NULL, updated_at INTEGER NOT NULL, PRIMARY KEY (scope, key, period)) STRICT, WITHOUT ROWID;
      INSERT INTO spend VALUES ('session', 's', '', 1, 2, 3, 4, 5, 6, ${NOW}); PRAGMA user_version = 1`);
    first.close();
    const book = openBook(path);
    book.add([SESSION], { tokens: 10 });
    expect(usedBy(book, SESSION)).toEqual({ tokens: 13, nanoUsd: 4, iterations: 5, wallMs: 6 });
    expect(usedBy(openBook(path), SESSION)).toMatchObject({ tokens: 13 });
  });

  it('refuses the file of a newer Coppice', () => {
    const path = join(tempDir(), 'live.db');
    const newer = new BetterSqlite3(path);
    newer.pragma('user_version = 99');
    newer.close();
    expect(() => openBook(path)).toThrow('newer Coppice');
  });

  it('passes no limit, however the claims of several connections interleave', () => {
    const path = join(tempDir(), 'live.db');
    const books = [openBook(path), openBook(path), openBook(path)];
    let round = 0;
    fc.assert(
      fc.property(fc.array(fc.nat(2), { maxLength: 40 }), fc.integer({ min: 1, max: 30 }), (taken, limit) => {
        const counted = { ...SESSION, key: `round-${(round += 1)}` };
        const claimed = taken.map((by) => books[by]?.claim({ counted, wallMs: 0, below: { iterations: limit } }));
        const expected = Math.min(taken.length, limit);
        expect(claimed.map((before) => before?.used.iterations)).toEqual(
          taken.map((_, index) => (index < expected ? index : undefined)),
        );
        for (const book of books) expect(usedBy(book, counted)?.iterations).toBe(expected);
      }),
    );
  });

  it('gives four processes together exactly as many iterations as the limit allows', async () => {
    const path = join(tempDir(), 'live.db');
    const got = await Promise.all(Array.from({ length: 4 }, () => claimIn(path, { count: 1000, limit: 2500 })));
    expect(got.reduce((sum, count) => sum + count, 0)).toBe(2500);
    expect(usedBy(openBook(path), SESSION)?.iterations).toBe(2500);
  });
});

async function claimIn(path: string, { count, limit }: { count: number; limit: number }): Promise<number> {
  const child = spawn(process.execPath, [CLAIMER, path, String(count), String(limit)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit') as Promise<[number | null]>]);
  expect(code).toBe(0);
  return Number(output);
}
