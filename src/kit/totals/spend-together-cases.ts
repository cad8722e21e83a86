import assert from 'node:assert/strict';
import type { KitCase } from '../kit-case.ts';
import { DAY, SESSION, type SpendBookPlace, usedOf } from './spend-book-place.ts';

const ONCE = { key: 'k', print: 'p', isKnown: false };
const CORRECTION = { sessionId: 's', by: 'me', reason: 'false', nanoUsd: 0 };
const REPORT = { sessionId: 's', usage: { model: 'm', inputTokens: 5 } };

const together = (answer: string) => ({
  once: ONCE,
  keep: { sessionId: 's', change: (kept = '') => `${kept}x` },
  step: { account: { session: SESSION, limited: [] }, wallMs: 3 },
  answer: (taken: unknown) => ({ answer, taken: taken === true }),
});

/** What is counted together with more, and under a key once. */
export const spendTogetherCases: readonly KitCase<SpendBookPlace>[] = [
  {
    name: 'adds under a key once, with the same note for whoever asks again, and keeps what belongs to it once',
    async run({ open }) {
      const [one, two] = [await open(), await open()];
      const keep = { sessionId: 's', change: (kept = '') => `${kept}x` };
      const add = (book: typeof one) => book.add([SESSION], { tokens: 5 }, { report: REPORT, keep, once: ONCE });
      const [first, again] = [await add(one), await add(two)];
      assert.deepEqual([first.isRepeat, again.isRepeat], [false, true]);
      assert.equal(again.note?.id, first.note?.id);
      assert.equal((await usedOf(one, SESSION)).tokens, 5);
      let found: string | undefined;
      await two.keep({ sessionId: 's', change: (kept) => (found = kept) });
      assert.equal(found, 'x');
      assert.equal((await one.request('k'))?.print, 'p');
    },
  },
  {
    name: 'takes a step together with what is kept, and answers under a key as it did the first time',
    async run({ open }) {
      const book = await open();
      const first = await book.stepTogether(together('first'), () => true);
      const again = await book.stepTogether(together('again'), () => true);
      assert.deepEqual(
        [first, again],
        [
          { answer: 'first', taken: true },
          { answer: 'first', taken: true },
        ],
      );
      const { iterations, wallMs } = await usedOf(book, SESSION);
      assert.deepEqual([iterations, wallMs], [1, 3]);
    },
  },
  {
    name: 'takes nothing back from a session that has not used as much, and lets the same key ask again',
    async run({ open }) {
      const book = await open();
      await book.add([{ ...SESSION, key: 'other' }, DAY], { tokens: 500 });
      await book.add([SESSION, DAY], { tokens: 100 });
      const correct = (tokens: number) => book.correct([SESSION, DAY], { ...CORRECTION, tokens }, { once: ONCE });
      assert.equal(await correct(101), false);
      assert.equal((await usedOf(book, DAY)).tokens, 600);
      assert.deepEqual([await correct(60), await correct(60)], [true, true]);
      assert.deepEqual([(await usedOf(book, SESSION)).tokens, (await usedOf(book, DAY)).tokens], [40, 540]);
      assert.deepEqual(
        (await book.corrections()).map(({ tokens, by }) => [tokens, by]),
        [[60, 'me']],
      );
    },
  },
  {
    name: 'takes back what was used before the totals met the session',
    async run({ open }) {
      const book = await open();
      const known = { key: SESSION, totals: { tokens: 100 } };
      assert.equal(await book.correct([SESSION], { ...CORRECTION, tokens: 60 }, { known }), true);
      assert.equal((await usedOf(book, SESSION)).tokens, 40);
      // The session store goes on knowing what was reported, and counts it no second time.
      await book.begin(SESSION, { tokens: 100 });
      assert.equal((await usedOf(book, SESSION)).tokens, 40);
    },
  },
  {
    name: 'tells a share of a limit once for all processes, and again when a correction took it back',
    async run({ open }) {
      const [one, two] = [await open(), await open()];
      const share = { ...DAY, counter: 'tokens' as const, limit: 1000, percent: 50 };
      await one.add([SESSION, DAY], { tokens: 600 });
      assert.deepEqual([await one.tell(share), await two.tell(share)], [true, false]);
      await one.correct([SESSION, DAY], { ...CORRECTION, tokens: 150 });
      assert.equal(await two.tell(share), true);
    },
  },
];
