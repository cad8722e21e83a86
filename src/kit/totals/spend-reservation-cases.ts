import assert from 'node:assert/strict';
import type { Allows } from '../../core/gateway/spend-book.ts';
import type { KitCase } from '../kit-case.ts';
import { DAY, SESSION, SOURCE, type SpendBookPlace, usedOf } from './spend-book-place.ts';

const ACCOUNT = { session: SESSION, limited: [DAY] };
const CALL = { account: ACCOUNT, shared: [SOURCE, DAY], amounts: { tokens: 4000, nanoUsd: 0 } };
/** Of the day, what is used and set aside leaves room for one call more. */
const fits: Allows = (spent) => (spent[1]?.used.tokens ?? 0) + (spent[1]?.reserved?.tokens ?? 0) + 4000 <= 10_000;
const always: Allows = () => true;

/** What calls set aside beside one another. */
export const spendReservationCases: readonly KitCase<SpendBookPlace>[] = [
  {
    name: 'sets aside what calls of all processes need beside one another, and books exactly',
    async run({ open }) {
      const [one, two] = [await open(), await open()];
      const [first, second, third] = [
        await one.reserve(CALL, fits),
        await two.reserve(CALL, fits),
        await one.reserve(CALL, fits),
      ];
      assert.deepEqual([first === undefined, second === undefined, third], [false, false, undefined]);
      await one.add([SESSION, SOURCE, DAY], { tokens: 3000 }, { settled: first });
      const [, day] = await two.read(ACCOUNT, true);
      assert.deepEqual([day?.used.tokens, day?.reserved?.tokens], [3000, 4000]);
      assert.equal(await two.reserve(CALL, fits), undefined);
    },
  },
  {
    name: 'gives back what was set aside, once, however often it is asked to',
    async run({ open }) {
      const book = await open();
      const [first, second] = [await book.reserve(CALL, fits), await book.reserve(CALL, fits)];
      if (first === undefined || second === undefined) throw new Error('There was room for two calls.');
      await book.release(first);
      await book.release(first);
      const [, day] = await book.read(ACCOUNT, true);
      assert.equal(day?.reserved?.tokens, 4000);
      assert.notEqual(await book.reserve(CALL, fits), undefined);
    },
  },
  {
    name: 'holds another amount in the place of one that was set aside before, which does not stand in its own way',
    async run({ open }) {
      const book = await open();
      const instead = await book.reserve({ ...CALL, amounts: { tokens: 9000, nanoUsd: 0 } }, always);
      const again = await book.reserve({ ...CALL, instead }, fits);
      assert.notEqual(again, undefined);
      const [, day] = await book.read(ACCOUNT, true);
      assert.equal(day?.reserved?.tokens, 4000);
    },
  },
  {
    name: 'leaves what another living book has set aside, counted and not recorded',
    async run({ open }) {
      const [book, other] = [await open(), await open()];
      await book.reserve({ ...CALL, isCall: true }, always);
      const { note } = await book.add(
        [SESSION],
        { tokens: 1 },
        { report: { sessionId: 's', usage: { model: 'm', inputTokens: 1 } } },
      );
      const left = await other.settleDead();
      assert.deepEqual([left.calls, left.unrecorded, left.noted], [[], [], [note?.id]]);
      const [, day] = await other.read(ACCOUNT, true);
      assert.equal(day?.reserved?.tokens, 4000);
    },
  },
  {
    name: 'forgets a note once the session store has what it says',
    async run({ open }) {
      const book = await open();
      const report = { sessionId: 's', usage: { model: 'm', inputTokens: 1 }, id: 'mine' };
      const { note } = await book.add([SESSION], { tokens: 1 }, { report });
      assert.equal(note?.id, 'mine');
      await book.recorded({ id: 'mine' });
      await book.recorded({ id: 'mine' });
      assert.deepEqual((await book.settleDead()).noted, []);
    },
  },
  {
    name: 'adds a call that is told again once, in every process, and with more tokens only what is more',
    async run({ open }) {
      const [one, two] = [await open(), await open()];
      const nothing = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };
      const call = (outputTokens: number) => ({
        id: 'call',
        tokens: { ...nothing, inputTokens: 100, outputTokens },
        sessionId: SESSION.key,
        keys: [SESSION, DAY],
        countOf: (added: typeof nothing) => ({
          amounts: { tokens: added.inputTokens + added.outputTokens, nanoUsd: 0 },
          usage: { model: 'm', ...added, costUsd: 0 },
        }),
      });
      assert.equal((await one.addFound(call(1)))?.amounts.tokens, 101);
      assert.deepEqual([await two.addFound(call(1)), await one.addFound(call(0))], [undefined, undefined]);
      assert.equal((await two.addFound(call(50)))?.amounts.tokens, 49);
      for (const key of [SESSION, DAY]) assert.equal((await usedOf(one, key)).tokens, 150);
    },
  },
];
