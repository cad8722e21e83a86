import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstatSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import BetterSqlite3 from 'better-sqlite3';
import * as fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { manualClock, NOW } from '../../../../test/support/clock.ts';
import { tempDir } from '../../../../test/support/temp-dir.ts';
import type { Spend, SpendKey } from '../../../core/gateway/gateway.ts';
import { ofEachSpent } from '../../../core/gateway/limits.ts';
import type { FoundTokens, SpendBook } from '../../../core/gateway/spend-book.ts';
import { DAY_MS } from '../../../core/time.ts';
import { openSpendBook } from './spend-book.ts';

const SESSION: SpendKey = { scope: 'session', key: 's', period: '' };
const DAY: SpendKey = { scope: 'day', key: '', period: '2026-01-15' };
const NOTHING = ofEachSpent(() => 0);
const STEPPER = fileURLToPath(new URL('../../../../test/support/spend-stepper.js', import.meta.url));

function openBook(path = join(tempDir(), 'live.db'), clock = manualClock()): SpendBook {
  const book = openSpendBook({ path, clock });
  onTestFinished(() => book[Symbol.dispose]());
  return book;
}

const usedBy = async (book: SpendBook, session: SpendKey) => (await book.read({ session, limited: [] }))[0]?.used;
const keptOf = async (book: SpendBook, id: string): Promise<string | undefined> => {
  let found: string | undefined;
  await book.keep({ sessionId: id, change: (kept) => (found = kept) });
  return found;
};
const stepsBelow = (most: number) => (spent: readonly Spend[]) => (spent[0]?.used.iterations ?? 0) < most;

describe('the spend book', () => {
  it('adds a call that is told again once, in every process, and with more tokens only what is more', async () => {
    const path = join(tempDir(), 'live.db');
    const [one, two] = [openBook(path), openBook(path)];
    const nothing = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };
    const call = (outputTokens: number) => ({
      id: 'claude:msg_1',
      tokens: { ...nothing, inputTokens: 100, outputTokens },
      sessionId: SESSION.key,
      keys: [SESSION, DAY],
      countOf: (added: FoundTokens) => ({
        amounts: { tokens: added.inputTokens + added.outputTokens, nanoUsd: 0 },
        usage: { model: 'm', ...added, costUsd: 0 },
      }),
    });
    expect(await one.addFound(call(1))).toMatchObject({
      usage: { inputTokens: 100, outputTokens: 1 },
      note: { id: expect.any(String) as string },
    });
    expect([await two.addFound(call(1)), await one.addFound(call(0))]).toEqual([undefined, undefined]);
    expect(await two.addFound(call(50))).toMatchObject({ usage: { ...nothing, outputTokens: 49 } });
    expect(await one.addFound({ ...call(5), id: 'claude:msg_2' })).toBeDefined();
    for (const key of [SESSION, DAY]) expect((await usedBy(two, key))?.tokens).toBe(150 + 105);
  });

  it('counts from zero and adds to each row', async () => {
    const book = openBook();
    expect(await book.read({ session: SESSION, limited: [DAY] })).toEqual([
      { ...SESSION, used: NOTHING },
      { ...DAY, used: NOTHING },
    ]);
    await book.add([SESSION, DAY], { tokens: 5, nanoUsd: 7 });
    await book.add([DAY], { tokens: 1, iterations: 4, wallMs: 6 });
    expect(await usedBy(book, SESSION)).toMatchObject({ tokens: 5, nanoUsd: 7, iterations: 0 });
    expect(await usedBy(book, DAY)).toEqual({ ...NOTHING, tokens: 6, nanoUsd: 7, iterations: 4, wallMs: 6 });
  });

  it('begins a row once', async () => {
    const book = openBook();
    await book.begin(SESSION, { tokens: 100 });
    await book.add([SESSION], { tokens: 1 });
    await book.begin(SESSION, { tokens: 100 });
    expect(await usedBy(book, SESSION)).toMatchObject({ tokens: 101 });
  });

  it('counts a step with the time before it, and shows the totals before that', async () => {
    const book = openBook();
    await book.add([SESSION], { tokens: 9, wallMs: 5 });
    const account = { session: SESSION, limited: [] };
    const seen: (readonly Spend[])[] = [];
    const step = () => {
      return book.step({ account, wallMs: 10 }, (spent) => {
        seen.push(spent);
        return stepsBelow(2)(spent);
      });
    };
    expect(await step()).toBe(true);
    expect(seen.at(-1)).toEqual([{ ...SESSION, used: { ...NOTHING, tokens: 9, wallMs: 5 } }]);
    expect(await step()).toBe(true);
    expect(seen.at(-1)).toMatchObject([{ used: { tokens: 9, iterations: 1, wallMs: 15 } }]);
    expect(await step()).toBe(false);
    expect(await usedBy(book, SESSION)).toMatchObject({ tokens: 9, iterations: 2, wallMs: 25 });
  });

  it('counts the first step of a session that it has forgotten', async () => {
    const clock = manualClock();
    const book = openBook(join(tempDir(), 'live.db'), clock);
    const account = { session: SESSION, limited: [] };
    const step = () => book.step({ account, wallMs: 3 }, stepsBelow(1));
    expect([await step(), await step()]).toEqual([true, false]);
    expect(await usedBy(book, SESSION)).toMatchObject({ iterations: 1, wallMs: 3 });
    clock.set(NOW + DAY_MS);
    await book.dropBefore(NOW + 1);
    expect([await step(), await step()]).toEqual([true, false]);
    expect(await usedBy(book, SESSION)).toMatchObject({ iterations: 1, wallMs: 3 });
  });

  it('counts no step for a session that came after the one it was asked for', async () => {
    const path = join(tempDir(), 'live.db');
    const clock = manualClock();
    const [book, other] = [openBook(path, clock), openBook(path, clock)];
    const account = { session: SESSION, limited: [] };
    await book.begin(SESSION, {});
    await book.read(account);
    clock.set(NOW + DAY_MS);
    await other.dropBefore(NOW + 1);
    const later = { ...SESSION, key: 'later' };
    await other.begin(later, {});
    expect(await book.step({ account, wallMs: 0 }, () => true)).toBe(true);
    expect([(await usedBy(book, SESSION))?.iterations, (await usedBy(book, later))?.iterations]).toEqual([1, 0]);
  });

  it('judges each step by all that was spent until then, whoever spent it', async () => {
    const path = join(tempDir(), 'live.db');
    const books = [openBook(path), openBook(path)];
    const act = fc.record({
      by: fc.nat(1),
      what: fc.constantFrom('step', 'read', 'spend'),
      row: fc.nat(2),
      amount: fc.nat(3),
    });
    let round = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 30 }), async (acts) => {
        const period = `round-${(round += 1)}`;
        const rows = [SESSION, { ...DAY, scope: 'source' as const, key: 'cli' }, DAY].map((row) => ({
          ...row,
          period,
        }));
        const [session = SESSION, ...limited] = rows;
        const accounts = books.map(() => ({ session, limited }));
        const totals = rows.map(() => ({ ...NOTHING }));
        for (const { by, what, row, amount } of acts) {
          const [book, account, key, total] = [books[by], accounts[by], rows[row], totals[row]];
          if (!book || !account || !key || !total || !totals[0]) throw new Error('There are two books and three rows.');
          let seen: readonly Spend[] | undefined;
          if (what === 'spend') {
            await book.add([key], { tokens: amount, nanoUsd: 1 });
            total.tokens += amount;
            total.nanoUsd += 1;
          }
          if (what === 'read') seen = await book.read(account);
          if (what === 'step') {
            const counted = await book.step({ account, wallMs: amount }, (spent) => {
              seen = spent;
              return amount > 0;
            });
            expect(counted).toBe(amount > 0);
          }
          if (seen !== undefined) expect(seen.map(({ used }) => used)).toEqual(totals);
          if (what === 'step' && amount > 0) {
            totals[0].iterations += 1;
            totals[0].wallMs += amount;
          }
        }
      }),
    );
  });

  it('asks again when somebody spends between the judgement and the count', async () => {
    const path = join(tempDir(), 'live.db');
    const [book, other] = [openBook(path), openBook(path)];
    for (const [row, index] of [
      [SESSION, 0],
      [DAY, 1],
    ] as const) {
      const account = { session: SESSION, limited: [DAY] };
      await book.read(account);
      const judged: (number | undefined)[] = [];
      const counted = await book.step({ account, wallMs: 0 }, (spent) => {
        judged.push(spent[index]?.used.tokens);
        if (judged.length === 1) void other.add([row], { tokens: 100 });
        return (spent[index]?.used.tokens ?? 0) < 100;
      });
      expect({ counted, judged }).toEqual({ counted: false, judged: [0, 100] });
    }
    expect((await usedBy(book, SESSION))?.iterations).toBe(0);
  });

  it('keeps its log short, however many steps are counted', async () => {
    const path = join(tempDir(), 'live.db');
    const book = openBook(path);
    const account = { session: SESSION, limited: [DAY] };
    for (let step = 0; step < 10_000; step += 1) await book.step({ account, wallMs: 1 }, () => true);
    expect(await usedBy(book, SESSION)).toMatchObject({ iterations: 10_000, wallMs: 10_000 });
    expect(lstatSync(`${path}-wal`).size).toBeLessThan(6_000_000);
  });

  it('lists a scope, the newest day first, and forgets what was not touched since', async () => {
    const clock = manualClock(NOW - 40 * DAY_MS);
    const book = openBook(join(tempDir(), 'live.db'), clock);
    const old = { ...DAY, period: '2025-12-06' };
    await book.add([old, { ...SESSION, key: 'old' }, SESSION], { tokens: 1 });
    clock.set(NOW);
    await book.add([DAY, SESSION], { tokens: 1 });
    expect((await book.list('day')).map(({ period }) => period)).toEqual([DAY.period, old.period]);
    const account = { session: SESSION, limited: [old] };
    expect((await book.read(account))[1]?.used.tokens).toBe(1);
    await book.dropBefore(NOW - 30 * DAY_MS);
    expect((await book.read(account))[1]?.used.tokens).toBe(0);
    expect((await book.list('day')).map(({ period }) => period)).toEqual([DAY.period]);
    expect(await book.list('session')).toMatchObject([{ key: 's', used: { tokens: 2 } }]);
  });

  it('sets aside what calls need beside one another, gives it back once, and books exactly', async () => {
    const book = openBook();
    const account = { session: SESSION, limited: [DAY] };
    const shared = [{ scope: 'source' as const, key: 'cli', period: DAY.period }, DAY];
    const fits = (spent: readonly Spend[]) => {
      const { used, reserved } = spent[1] ?? { used: { tokens: 0 } };
      return used.tokens + (reserved?.tokens ?? 0) + 4000 <= 10_000;
    };
    const reserve = () => book.reserve({ account, shared, amounts: { tokens: 4000, nanoUsd: 0 } }, fits);
    const [first, second, third] = [await reserve(), await reserve(), await reserve()];
    expect([first === undefined, second === undefined, third]).toEqual([false, false, undefined]);
    await book.add([SESSION, DAY], { tokens: 3000 }, { settled: first });
    expect((await book.read(account, true))[1]).toMatchObject({ used: { tokens: 3000 }, reserved: { tokens: 4000 } });
    expect(await reserve()).toBeUndefined();
    if (second !== undefined) await book.release(second);
    expect(await reserve()).toBeDefined();
  });

  it('takes back what a process that died had set aside, and nothing of one that lives', async () => {
    const path = join(tempDir(), 'live.db');
    const [book, other] = [openBook(path), openBook(path)];
    const wanted = { account: { session: SESSION, limited: [] }, shared: [DAY], amounts: { tokens: 9, nanoUsd: 0 } };
    const alone = (spent: readonly Spend[]) => (spent[0]?.reserved?.tokens ?? 0) === 0;
    expect(await other.reserve(wanted, () => true)).toBeDefined();
    expect(await book.reserve(wanted, alone)).toBeUndefined();
    const db = new BetterSqlite3(path);
    onTestFinished(() => void db.close());
    db.exec(`UPDATE reserved SET owner = json_set(owner, '$.startedAt', 'long ago')`);
    expect(await book.reserve(wanted, alone)).toBeDefined();
  });

  it('counts a call that was under way when its process died as what was set aside for it, and leaves what another book of a process has', async () => {
    const path = join(tempDir(), 'live.db');
    const [book, other] = [openBook(path), openBook(path)];
    const account = { session: SESSION, limited: [DAY] };
    const wanted = { account, shared: [{ ...DAY, scope: 'source' as const, key: 'cli' }, DAY] };
    await book.reserve({ ...wanted, amounts: { tokens: 9, nanoUsd: 2 }, isCall: true }, () => true);
    await book.reserve({ ...wanted, amounts: { tokens: 100, nanoUsd: 0 } }, () => true);
    openBook(path)[Symbol.dispose]();
    expect(await other.settleDead()).toMatchObject({ calls: [], unrecorded: [] });
    expect((await other.read(account, true))[1]).toMatchObject({ used: { tokens: 0 }, reserved: { tokens: 109 } });
    const db = new BetterSqlite3(path);
    onTestFinished(() => void db.close());
    db.exec(`UPDATE reserved SET owner = json_set(owner, '$.startedAt', 'long ago')`);
    const left = await other.settleDead();
    expect(left.calls).toEqual([{ sessionId: 's', tokens: 9, nanoUsd: 2 }]);
    expect(left.unrecorded).toMatchObject([{ sessionId: 's', usage: { inputTokens: 9, costUsd: 2e-9 } }]);
    expect(await other.read(account, true)).toMatchObject([
      { used: { tokens: 9 } },
      { used: { tokens: 9, nanoUsd: 2 } },
    ]);
    expect((await other.read(account, true))[1]?.reserved).toBeUndefined();
    // Whoever could not record it at once still has it, and nobody else takes it while that one lives.
    expect((await openBook(path).settleDead()).unrecorded).toEqual([]);
    expect(await other.settleDead()).toMatchObject({ calls: [], unrecorded: left.unrecorded });
    for (const note of left.unrecorded) await other.recorded(note);
    expect(await other.settleDead()).toEqual({ calls: [], unrecorded: [], noted: [] });
  });

  it('takes nothing back from a session that has not used as much, and counts from what its store knows less what was taken back', async () => {
    const clock = manualClock();
    const book = openBook(undefined, clock);
    const correction = { sessionId: 's', by: 'me', reason: 'false', nanoUsd: 0 };
    await book.add([{ ...SESSION, key: 'other' }, DAY], { tokens: 500 });
    await book.add([SESSION, DAY], { tokens: 100 });
    expect(await book.correct([SESSION, DAY], { ...correction, tokens: 101 })).toBe(false);
    expect(await usedBy(book, DAY)).toMatchObject({ tokens: 600 });
    expect(await book.correct([SESSION, DAY], { ...correction, tokens: 60 })).toBe(true);
    expect([await usedBy(book, SESSION), await usedBy(book, DAY)]).toMatchObject([{ tokens: 40 }, { tokens: 540 }]);
    expect(await book.corrections()).toHaveLength(1);
    clock.advance(DAY_MS);
    await book.dropBefore(clock.now());
    await book.begin(SESSION, { tokens: 100 });
    expect(await usedBy(book, SESSION)).toMatchObject({ tokens: 40 });
    // A power cut may have taken the newest from here that the store has.
    await book.begin(SESSION, { tokens: 130 });
    expect(await usedBy(book, SESSION)).toMatchObject({ tokens: 70 });
  });

  it('tells a share again that a correction took back', async () => {
    const book = openBook();
    const share = { ...DAY, counter: 'tokens' as const, limit: 1000, percent: 50 };
    await book.add([SESSION, DAY], { tokens: 600 });
    expect([await book.tell(share), await book.tell(share)]).toEqual([true, false]);
    const correction = { sessionId: 's', by: 'me', reason: 'false', nanoUsd: 0 };
    await book.correct([SESSION, DAY], { ...correction, tokens: 50 });
    expect(await book.tell(share)).toBe(false);
    await book.correct([SESSION, DAY], { ...correction, tokens: 100 });
    expect(await book.tell(share)).toBe(true);
  });

  it('keeps the totals of a day while nothing newer was counted: a clock that is far ahead takes no budget back', async () => {
    const clock = manualClock();
    const book = openBook(undefined, clock);
    await book.add([SESSION, DAY], { tokens: 600 });
    clock.advance(365 * DAY_MS);
    await book.dropBefore(clock.now() - 90 * DAY_MS);
    clock.set(NOW);
    expect(await usedBy(book, DAY)).toMatchObject({ tokens: 600 });
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

  it.each([
    { version: 1, size: 'messages INTEGER NOT NULL, bytes INTEGER NOT NULL,', values: '1, 2,' },
    { version: 2, size: '', values: '' },
  ])('goes on with the totals of version $version', async (earlier) => {
    const path = join(tempDir(), 'live.db');
    const old = new BetterSqlite3(path);
    onTestFinished(() => void old.close());
    old.exec(`CREATE TABLE spend (scope TEXT NOT NULL, key TEXT NOT NULL, period TEXT NOT NULL, ${earlier.size}
      tokens INTEGER NOT NULL, nano_usd INTEGER NOT NULL, iterations INTEGER NOT NULL, wall_ms INTEGER NOT NULL,
      updated_at INTEGER NOT NULL, PRIMARY KEY (scope, key, period)) STRICT, WITHOUT ROWID;
      INSERT INTO spend VALUES ('session', 's', '', ${earlier.values} 3, 4, 5, 6, ${NOW});
      INSERT INTO spend VALUES ('day', '', '2026-01-15', ${earlier.values} 3, 4, 0, 0, ${NOW});
      PRAGMA user_version = ${earlier.version}`);
    const spendMore = old.prepare('UPDATE spend SET tokens = tokens + 1');
    const book = openBook(path);
    const account = { session: SESSION, limited: [DAY] };
    await book.add([SESSION], { tokens: 10 });
    expect(await book.read(account)).toEqual([
      { ...SESSION, used: { ...NOTHING, tokens: 13, nanoUsd: 4, iterations: 5, wallMs: 6 } },
      { ...DAY, used: { ...NOTHING, tokens: 3, nanoUsd: 4 } },
    ]);
    // A process of version 2 may still be at work.
    spendMore.run();
    expect(await book.read(account)).toMatchObject([{ used: { tokens: 14 } }, { used: { tokens: 4 } }]);
    expect(await usedBy(openBook(path), SESSION)).toMatchObject({ tokens: 14 });
  });

  it('goes on with a file of version 3, which kept nothing of guards', async () => {
    const path = join(tempDir(), 'live.db');
    await openBook(path).add([SESSION], { tokens: 7 });
    const old = new BetterSqlite3(path);
    onTestFinished(() => void old.close());
    const since = ['kept', 'reserved', 'told', 'corrections', 'found', 'requests', 'unrecorded'];
    old.exec([...since.map((table) => `DROP TABLE ${table}`), 'PRAGMA user_version = 3'].join(';'));
    const book = openBook(path);
    expect(await usedBy(book, SESSION)).toMatchObject({ tokens: 7 });
    await book.keep({ sessionId: 's', change: () => 'a streak' });
    // A process of version 3 may still be at work.
    old.exec('UPDATE spend SET tokens = tokens + 1');
    expect(await usedBy(book, SESSION)).toMatchObject({ tokens: 8 });
    expect(await keptOf(openBook(path), 's')).toBe('a streak');
  });

  it('keeps what is given of each session, changes it in one step, and forgets it when it is told to or it is old', async () => {
    const clock = manualClock();
    const path = join(tempDir(), 'live.db');
    const [one, two] = [openBook(path, clock), openBook(path, clock)];
    for (const book of [one, two, one]) await book.keep({ sessionId: 's', change: (kept = '') => `${kept}x` });
    await two.keep({ sessionId: 't', change: () => 'other' });
    expect([await keptOf(two, 's'), await keptOf(one, 't')]).toEqual(['xxx', 'other']);
    await one.keep({ sessionId: 's', change: () => undefined });
    expect(await keptOf(two, 's')).toBeUndefined();
    clock.advance(DAY_MS);
    await two.dropBefore(clock.now());
    expect(await keptOf(one, 't')).toBeUndefined();
  });

  it('refuses the file of a newer Coppice', () => {
    const path = join(tempDir(), 'live.db');
    const newer = new BetterSqlite3(path);
    newer.pragma('user_version = 99');
    newer.close();
    expect(() => openBook(path)).toThrow('newer Coppice');
  });

  it('passes no limit, however the steps of several connections interleave', async () => {
    const path = join(tempDir(), 'live.db');
    const books = [openBook(path), openBook(path), openBook(path)];
    let round = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(2), { maxLength: 40 }),
        fc.integer({ min: 1, max: 30 }),
        async (taken, limit) => {
          const session = { ...SESSION, key: `round-${(round += 1)}` };
          const account = { session, limited: [] };
          const counted: (boolean | undefined)[] = [];
          for (const by of taken) counted.push(await books[by]?.step({ account, wallMs: 0 }, stepsBelow(limit)));
          expect(counted).toEqual(taken.map((_, index) => index < limit));
          for (const book of books)
            expect((await usedBy(book, session))?.iterations).toBe(Math.min(taken.length, limit));
        },
      ),
    );
  });

  it('gives four processes together exactly as many iterations as the limit allows', async () => {
    const path = join(tempDir(), 'live.db');
    const got = await Promise.all(Array.from({ length: 4 }, () => stepIn(path, { count: 1000, limit: 2500 })));
    expect(got.reduce((sum, count) => sum + count, 0)).toBe(2500);
    expect((await usedBy(openBook(path), SESSION))?.iterations).toBe(2500);
  });
});

async function stepIn(path: string, { count, limit }: { count: number; limit: number }): Promise<number> {
  const child = spawn(process.execPath, [STEPPER, path, String(count), String(limit)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit') as Promise<[number | null]>]);
  expect(code).toBe(0);
  return Number(output);
}
