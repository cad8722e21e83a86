import assert from 'node:assert/strict';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../core/time.ts';
import { KIT_NOW, type KitCase } from '../kit-case.ts';
import { atDesk, type StorePlace } from './store-desk.ts';
import { has } from './has.ts';

/** Results on their way, until they have arrived. */
export const deliveryCases: readonly KitCase<StorePlace>[] = atDesk([
  {
    name: 'deliveries: survives a restart until it has arrived',
    async run(desk) {
      await desk.store.deliveries.promise(parcel);
      await desk.reopen();
      has(await desk.store.deliveries.due(KIT_NOW), [{ ...parcel, state: 'waiting', attempts: 0 }]);
      await desk.store.deliveries.begin('d1');
      await desk.store.deliveries.delivered('d1');
      assert.deepEqual(await desk.store.deliveries.due(KIT_NOW), []);
      assert.deepEqual(await desk.store.deliveries.open(), []);
    },
  },
  {
    name: 'deliveries: is promised once, however often it is asked for',
    async run(desk) {
      await desk.store.deliveries.promise(parcel);
      await desk.store.deliveries.begin('d1');
      await desk.store.deliveries.promise(parcel);
      has(await desk.store.deliveries.open(), [{ state: 'sending', attempts: 1 }]);
    },
  },
  {
    name: 'deliveries: is sent by one process at a time',
    async run(desk) {
      const one = desk.store;
      const two = await desk.openOther();
      await one.deliveries.promise(parcel);
      const begun = await Promise.all([one, two].map(({ deliveries }) => deliveries.begin('d1')));
      assert.equal(begun.filter((delivery) => delivery !== undefined).length, 1);
    },
  },
  {
    name: 'deliveries: waits between attempts, and counts one whose end nobody saw',
    async run(desk) {
      await desk.store.deliveries.promise(parcel);
      await desk.store.deliveries.begin('d1');
      await desk.store.deliveries.failed('d1', 'no answer', KIT_NOW + MINUTE_MS);
      assert.deepEqual(await desk.store.deliveries.due(KIT_NOW + 59 * SECOND_MS), []);
      has(await desk.store.deliveries.due(KIT_NOW + MINUTE_MS), [{ lastError: 'no answer', attempts: 1 }]);
      await desk.store.deliveries.begin('d1');
      assert.equal(await desk.store.deliveries.reclaim(), 1);
      has(await desk.store.deliveries.begin('d1'), { attempts: 3 });
      await desk.store.deliveries.failed('d1', 'no answer');
      has(await desk.store.deliveries.open('s1'), [{ state: 'given-up' }]);
      assert.deepEqual(await desk.store.deliveries.due(KIT_NOW + DAY_MS), []);
      await desk.store.deliveries.trim(desk.clock.now() + 1);
      assert.deepEqual(await desk.store.deliveries.open('s1'), []);
    },
  },
  {
    name: 'deliveries: is due again when whoever began it has said nothing for minutes',
    async run(desk) {
      await desk.store.deliveries.promise(parcel);
      await desk.store.deliveries.begin('d1');
      desk.clock.advance(MINUTE_MS);
      assert.deepEqual(await desk.store.deliveries.due(desk.clock.now()), []);
      assert.equal(await desk.store.deliveries.begin('d1'), undefined);
      desk.clock.advance(HOUR_MS);
      has(await desk.store.deliveries.due(desk.clock.now()), [{ id: 'd1', state: 'sending' }]);
      has(await desk.store.deliveries.begin('d1'), { attempts: 2 });
    },
  },
]);

const parcel = { id: 'd1', sessionId: 's1', job: 'report', target: '{}' };
