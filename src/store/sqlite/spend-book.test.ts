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
import type { Claim, SpendBook, SpendKey } from '../../core/gateway.ts';
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
    expect(book.read([SESSION])).toEqual([
      { ...SESSION, used: { messages: 0, bytes: 0, tokens: 0, nanoUsd: 0, iterations: 0, wallMs: 0 } },
    ]);
    book.add([SESSION, DAY], { tokens: 5, nanoUsd: 7 });
    book.add([DAY], { tokens: 1, bytes: 2, messages: 3, iterations: 4, wallMs: 6 });
    expect(usedBy(book, SESSION)).toMatchObject({ tokens: 5, nanoUsd: 7, messages: 0 });
    expect(usedBy(book, DAY)).toEqual({ messages: 3, bytes: 2, tokens: 6, nanoUsd: 7, iterations: 4, wallMs: 6 });
  });

  it('begins a row once', () => {
    const book = openBook();
    book.begin(SESSION, { tokens: 100 });
    book.add([SESSION], { tokens: 1 });
    book.begin(SESSION, { tokens: 100 });
    expect(usedBy(book, SESSION)).toMatchObject({ tokens: 101 });
  });

  it('shows every claim the totals before it, and adds only what was admitted', () => {
    const book = openBook();
    book.add([DAY], { tokens: 9 });
    const claim = (admitted: boolean) =>
      book.claim({
        counted: SESSION,
        amounts: { iterations: 1 },
        beside: [DAY],
        admit: (spent) => {
          expect(spent.map(({ scope }) => scope)).toEqual(['session', 'day']);
          expect(spent[1]?.used.tokens).toBe(9);
          return admitted;
        },
      });
    expect([claim(true), claim(false), claim(true)]).toEqual([true, false, true]);
    expect(usedBy(book, SESSION)).toMatchObject({ iterations: 2 });
    expect(usedBy(book, DAY)).toMatchObject({ iterations: 0 });
  });

  it('shows a claim what any connection added beside it since the last one', () => {
    const path = join(tempDir(), 'live.db');
    const books = [openBook(path), openBook(path)];
    const tokensSeen = (book: SpendBook | undefined) => {
      let tokens = -1;
      const admit: Claim['admit'] = (spent) => {
        tokens = spent[1]?.used.tokens ?? -1;
        return true;
      };
      book?.claim({ counted: SESSION, amounts: { iterations: 1 }, beside: [DAY], admit });
      return tokens;
    };
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), fc.nat(1))), (steps) => {
        let expected = usedBy(openBook(path), DAY)?.tokens ?? 0;
        for (const [adds, by] of steps) {
          if (adds) books[by]?.add([DAY], { tokens: 1 });
          expected += adds ? 1 : 0;
          expect(tokensSeen(books[by])).toBe(expected);
        }
      }),
      { numRuns: 20 },
    );
  });

  it('adds nothing when the decision itself fails', () => {
    const book = openBook();
    const admit = () => {
      throw new Error('undecided');
    };
    expect(() => book.claim({ counted: SESSION, amounts: { iterations: 1 }, beside: [], admit })).toThrow('undecided');
    expect(usedBy(book, SESSION)).toMatchObject({ iterations: 0 });
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
    const turns = fc.array(fc.record({ by: fc.nat(2), amount: fc.integer({ min: 1, max: 5 }) }), { maxLength: 40 });
    let round = 0;
    fc.assert(
      fc.property(turns, fc.integer({ min: 1, max: 60 }), (taken, limit) => {
        round += 1;
        const key = { ...SESSION, key: `round-${round}` };
        let expected = 0;
        for (const { by, amount } of taken) {
          const claimed = books[by]?.claim({
            counted: key,
            amounts: { iterations: amount },
            beside: [],
            admit: ([session]) => (session?.used.iterations ?? 0) + amount <= limit,
          });
          expect(claimed).toBe(expected + amount <= limit);
          if (claimed) expected += amount;
        }
        for (const book of books) expect(usedBy(book, key)?.iterations).toBe(expected);
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
