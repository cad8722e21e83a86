import assert from 'node:assert/strict';
import type { Spend } from '../../core/gateway/gateway.ts';
import type { Allows, SpendBook } from '../../core/gateway/spend-book.ts';
import { DAY_MS } from '../../core/time.ts';
import { KIT_NOW, type KitCase } from '../kit-case.ts';
import { DAY, SESSION, type SpendBookPlace, usedOf } from './spend-book-place.ts';
import { spendReservationCases } from './spend-reservation-cases.ts';
import { spendTogetherCases } from './spend-together-cases.ts';

const dayIsFree: Allows = (spent) => (spent[1]?.used.tokens ?? 0) < 100;

async function keptOf(book: SpendBook, sessionId: string): Promise<string | undefined> {
  let found: string | undefined;
  await book.keep({ sessionId, change: (kept) => (found = kept) });
  return found;
}

const stepsBelow =
  (most: number): Allows =>
  (spent) =>
    (spent[0]?.used.iterations ?? 0) < most;

/** The contract of `SpendBook`, as behaviour. */
export const spendBookCases: readonly KitCase<SpendBookPlace>[] = [
  {
    name: 'counts from zero and adds to each row',
    async run({ open }) {
      const book = await open();
      const before = await book.read({ session: SESSION, limited: [DAY] });
      assert.deepEqual(
        before.map(({ used }) => [used.tokens, used.nanoUsd, used.iterations, used.wallMs]),
        [
          [0, 0, 0, 0],
          [0, 0, 0, 0],
        ],
      );
      await book.add([SESSION, DAY], { tokens: 5, nanoUsd: 7 });
      await book.add([DAY], { tokens: 1, iterations: 4, wallMs: 6 });
      assert.equal((await usedOf(book, SESSION)).tokens, 5);
      const { tokens, nanoUsd, iterations, wallMs } = await usedOf(book, DAY);
      assert.deepEqual([tokens, nanoUsd, iterations, wallMs], [6, 7, 4, 6]);
    },
  },
  {
    name: 'shares its totals with every other process, and keeps them',
    async run({ open }) {
      const [one, two] = [await open(), await open()];
      await Promise.all([one, two, one].map((book) => book.add([DAY], { tokens: 2 })));
      assert.equal((await usedOf(one, DAY)).tokens, 6);
      assert.equal((await usedOf(await open(), DAY)).tokens, 6);
    },
  },
  {
    name: 'begins the row of a session once, and raises it to what its store knows',
    async run({ open }) {
      const book = await open();
      await book.begin(SESSION, { tokens: 100 });
      await book.add([SESSION], { tokens: 1 });
      await book.begin(SESSION, { tokens: 100 });
      assert.equal((await usedOf(book, SESSION)).tokens, 101);
      await book.begin(SESSION, { tokens: 130 });
      assert.equal((await usedOf(book, SESSION)).tokens, 130);
    },
  },
  {
    name: 'counts a step with the time before it, and judges by the totals before that',
    async run({ open }) {
      const book = await open();
      await book.add([SESSION], { tokens: 9, wallMs: 5 });
      const account = { session: SESSION, limited: [] };
      const seen: (readonly Spend[])[] = [];
      const allows: Allows = (spent) => {
        seen.push(spent);
        return stepsBelow(2)(spent);
      };
      const counted: boolean[] = [];
      for (let asked = 0; asked < 3; asked += 1) counted.push(await book.step({ account, wallMs: 10 }, allows));
      assert.deepEqual(counted, [true, true, false]);
      assert.equal(seen[0]?.[0]?.used.wallMs, 5);
      const { tokens, iterations, wallMs } = await usedOf(book, SESSION);
      assert.deepEqual([tokens, iterations, wallMs], [9, 2, 25]);
    },
  },
  {
    name: 'passes no limit, however steps of several processes come',
    async run({ open }) {
      const books = [await open(), await open(), await open()];
      const account = { session: SESSION, limited: [DAY] };
      const ask = async (n: number) => books[n % 3]?.step({ account, wallMs: 0 }, stepsBelow(25));
      const counted = await Promise.all(Array.from({ length: 60 }, (_, n) => ask(n)));
      assert.equal(counted.filter((each) => each === true).length, 25);
      assert.equal((await usedOf(await open(), SESSION)).iterations, 25);
    },
  },
  {
    name: 'judges a step by what others have just spent',
    async run({ open }) {
      const [book, other] = [await open(), await open()];
      const account = { session: SESSION, limited: [DAY] };
      await book.read(account);
      await other.add([DAY], { tokens: 100 });
      assert.equal(await book.step({ account, wallMs: 0 }, dayIsFree), false);
      assert.equal((await usedOf(book, SESSION)).iterations, 0);
    },
  },
  {
    name: 'lists a scope, the newest day first, and forgets what was not touched since',
    async run({ clock, open }) {
      const book = await open();
      const old = { ...DAY, period: '2025-12-06' };
      clock.set(KIT_NOW - 40 * DAY_MS);
      await book.add([old, { ...SESSION, key: 'old' }], { tokens: 1 });
      clock.set(KIT_NOW);
      await book.add([DAY, SESSION], { tokens: 1 });
      const days = async () => (await book.list('day')).map(({ period }) => period);
      assert.deepEqual(await days(), [DAY.period, old.period]);
      await book.dropBefore(KIT_NOW - 30 * DAY_MS);
      assert.deepEqual(await days(), [DAY.period]);
      assert.deepEqual(
        (await book.list('session')).map(({ key }) => key),
        ['s'],
      );
    },
  },
  {
    name: 'keeps the totals of a day while nothing newer was counted: a clock far ahead takes no budget back',
    async run({ clock, open }) {
      const book = await open();
      await book.add([SESSION, DAY], { tokens: 600 });
      clock.advance(365 * DAY_MS);
      await book.dropBefore(clock.now() - 90 * DAY_MS);
      assert.equal((await usedOf(book, DAY)).tokens, 600);
    },
  },
  {
    name: 'keeps what is given of each session, changes it in one step, and forgets it when it is told to or it is old',
    async run({ clock, open }) {
      const [one, two] = [await open(), await open()];
      for (const book of [one, two, one]) await book.keep({ sessionId: 's', change: (kept = '') => `${kept}x` });
      assert.equal(await keptOf(two, 's'), 'xxx');
      await one.keep({ sessionId: 's', change: () => undefined });
      assert.equal(await keptOf(two, 's'), undefined);
      await two.keep({ sessionId: 't', change: () => 'other' });
      clock.advance(DAY_MS);
      await two.dropBefore(clock.now());
      assert.equal(await keptOf(one, 't'), undefined);
    },
  },
  ...spendReservationCases,
  ...spendTogetherCases,
];
