import assert from 'node:assert/strict';
import { collect } from './asking.ts';
import { runItem } from './removing.ts';
import { DAY_MS } from '../../core/time.ts';
import { KIT_NOW, type KitCase } from '../kit-case.ts';
import { atDesk, type StorePlace } from './store-desk.ts';
import { has } from './has.ts';

/** One for each state in which what a run did may be. */
const STATES = ['skipped', 'restored', 'purged', 'intended', 'trashed', 'archived', 'undoing', 'purging'] as const;

/** The record of runs. */
export const journalCases: readonly KitCase<StorePlace>[] = atDesk([
  {
    name: 'journal: keeps runs, newest first, and their items by number and state',
    async run(desk) {
      await desk.store.journal.begin(run);
      await desk.store.journal.begin({
        ...run,
        id: 'later',
        startedAt: KIT_NOW + 1,
        request: { kind: 'delete', ids: ['a'] },
      });
      const items = Array.from({ length: 1100 }, (_, index) => runItem({ number: index + 1, id: `s${index}` }));
      await desk.store.journal.intend('run', items);
      await desk.store.journal.mark('run', [
        { number: 1, state: 'trashed' },
        { number: 1100, state: 'skipped', detail: 'It has changed.' },
      ]);
      await desk.reopen();
      assert.deepEqual(
        (await collect(desk.store.journal.runs())).map(({ id }) => id),
        ['later', 'run'],
      );
      has(await desk.store.journal.run('later'), { request: { kind: 'delete', ids: ['a'] } });
      assert.equal(await desk.store.journal.run('nowhere'), undefined);
      const numbers = (await collect(desk.store.journal.items('run'))).map(({ number }) => number);
      assert.deepEqual(
        numbers,
        items.map(({ number }) => number),
      );
      assert.deepEqual(await collect(desk.store.journal.items('run', ['skipped', 'trashed'])), [
        { ...items[0], state: 'trashed' },
        { ...items[1099], state: 'skipped', detail: 'It has changed.' },
      ]);
      assert.deepEqual(await desk.store.journal.totals('run'), {
        intended: { items: 1098, sizeBytes: 10_980 },
        trashed: { items: 1, sizeBytes: 10 },
        skipped: { items: 1, sizeBytes: 10 },
      });
      assert.deepEqual(await desk.store.journal.totals('later'), {});
    },
  },
  {
    name: 'journal: names the runs that were cut short, and those with an item whose step was',
    async run(desk) {
      await desk.store.journal.begin(run);
      assert.deepEqual(await desk.store.journal.unfinished(), ['run']);
      await desk.store.journal.intend('run', [runItem({ number: 1, id: 's' })]);
      await desk.store.journal.finish('run', KIT_NOW + 5);
      assert.deepEqual(await desk.store.journal.run('run'), { ...run, finishedAt: KIT_NOW + 5 });
      for (const state of ['intended', 'undoing', 'purging'] as const) {
        await desk.store.journal.mark('run', [{ number: 1, state }]);
        assert.deepEqual([state, await desk.store.journal.unfinished()], [state, ['run']]);
      }
      for (const state of ['trashed', 'skipped', 'restored', 'purged'] as const) {
        await desk.store.journal.mark('run', [{ number: 1, state }]);
        assert.deepEqual([state, await desk.store.journal.unfinished()], [state, []]);
      }
    },
  },
  {
    name: 'journal: forgets runs with nothing left to give back, the old ones and all but the newest',
    async run(desk) {
      const { journal } = desk.store;
      for (const [index, state] of STATES.entries()) {
        await journal.begin({ ...run, id: state, startedAt: KIT_NOW + index });
        await journal.intend(
          state,
          Array.from({ length: 700 }, (_, at) => runItem({ number: at + 1, id: `s${at}` })),
        );
        const settled = Array.from({ length: 700 }, (_, at) => ({ number: at + 1, state: 'purged' as const }));
        await journal.mark(state, [...settled, { number: 350, state }]);
        await journal.finish(state, KIT_NOW + index);
      }
      await journal.begin({ ...run, id: 'cut short' });
      const left = async () => (await collect(journal.runs())).map(({ id }) => id).toReversed();
      assert.equal(await journal.forget({ before: KIT_NOW, newest: 100 }), 0);
      assert.equal(await journal.forget({ before: KIT_NOW + 1, newest: 100 }), 1);
      assert.deepEqual(await left(), ['cut short', ...STATES.slice(1)]);
      assert.deepEqual(await collect(journal.items('skipped')), []);
      assert.equal(await journal.forget({ before: KIT_NOW, newest: 6 }), 1);
      assert.equal(await journal.forget({ before: KIT_NOW + 100, newest: 0 }), 1);
      assert.deepEqual(await left(), ['cut short', ...STATES.slice(3)]);
      assert.equal((await collect(journal.items('trashed'))).length, 700);
    },
  },
  {
    name: 'journal: knows the runs that have something in the trash, the first to expire first',
    async run(desk) {
      const { journal } = desk.store;
      for (const [index, state] of STATES.entries()) {
        await journal.begin({ ...run, id: state, expiresAt: KIT_NOW - index });
        await journal.intend(state, [runItem({ number: 1, id: 's' }), runItem({ number: 2, id: 't' })]);
        await journal.mark(state, [
          { number: 1, state },
          { number: 2, state: 'purged' },
        ]);
      }
      assert.deepEqual(
        (await journal.inTrash()).map(({ id }) => id),
        ['purging', 'trashed'],
      );
    },
  },
  {
    name: 'journal: refuses the same run or item twice',
    async run(desk) {
      await desk.store.journal.begin(run);
      await assert.rejects(desk.store.journal.begin(run), { name: 'Failure' });
      await desk.store.journal.intend('run', [runItem({ number: 1, id: 's' })]);
      await assert.rejects(desk.store.journal.intend('run', [runItem({ number: 1, id: 't' })]), {
        name: 'Failure',
      });
    },
  },
]);

const run = { id: 'run', request: { kind: 'policy' }, startedAt: KIT_NOW, expiresAt: KIT_NOW + DAY_MS } as const;
