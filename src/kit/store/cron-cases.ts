import assert from 'node:assert/strict';
import { KIT_NOW, type KitCase } from '../kit-case.ts';
import { atDesk, type StorePlace } from './store-desk.ts';
import { has } from './has.ts';

/** Scheduled runs, of which each happens once. */
export const cronCases: readonly KitCase<StorePlace>[] = atDesk([
  {
    name: 'scheduled runs: remembers jobs that were added',
    async run(desk) {
      await desk.store.cron.saveJob('b', '{"v":1}');
      await desk.store.cron.saveJob('a', '{}');
      await desk.store.cron.saveJob('b', '{"v":2}');
      assert.deepEqual(
        [...(await desk.store.cron.jobs())],
        [
          ['a', '{}'],
          ['b', '{"v":2}'],
        ],
      );
      assert.equal(await desk.store.cron.dropJob('b'), true);
      assert.equal(await desk.store.cron.dropJob('b'), false);
    },
  },
  {
    name: 'scheduled runs: gives a slot to one process only',
    async run(desk) {
      const one = desk.store;
      const two = await desk.openOther();
      const claims = await Promise.all([one, two, one, two].map(({ cron }) => cron.claim(slot)));
      assert.equal(claims.filter(Boolean).length, 1);
      has(await two.cron.unfinished(), [{ ...slot, startedAt: KIT_NOW }]);
    },
  },
  {
    name: 'scheduled runs: keeps the first outcome of a run',
    async run(desk) {
      await desk.store.cron.claim(slot);
      await desk.store.cron.finish(slot, 'done');
      await desk.store.cron.finish(slot, 'lost');
      assert.deepEqual(await desk.store.cron.runs('report', 10), [
        { ...slot, startedAt: KIT_NOW, finishedAt: KIT_NOW, outcome: 'done' },
      ]);
      assert.deepEqual(await desk.store.cron.unfinished(), []);
    },
  },
  {
    name: 'scheduled runs: forgets all but the newest runs, and none that is still going',
    async run(desk) {
      for (let number = 0; number < 10; number += 1) {
        const run = { job: 'report', dueAt: KIT_NOW + number, sessionId: `s${number}` };
        await desk.store.cron.claim(run);
        if (number !== 2) await desk.store.cron.finish(run, 'done');
      }
      await desk.store.cron.trim('report', 3);
      const left = (await desk.store.cron.runs('report', 100)).map(({ sessionId }) => sessionId);
      assert.deepEqual(left, ['s9', 's8', 's7', 's2']);
    },
  },
]);

const slot = { job: 'report', dueAt: KIT_NOW, sessionId: 'cron_report_1' };
