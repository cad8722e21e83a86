import assert from 'node:assert/strict';
import type { SessionStore } from '../../core/stores/session-store.ts';
import { messagesOf, user } from './asking.ts';
import { removeSessions } from './removing.ts';
import { KIT_NOW, type KitCase } from '../kit-case.ts';
import { atDesk, type StoreDesk, type StorePlace } from './store-desk.ts';
import { has } from './has.ts';

/** Which process claims which session. */
export const leaseCases: readonly KitCase<StorePlace>[] = atDesk([
  {
    name: 'leases: names this process as the holder of what it creates',
    async run(desk) {
      await desk.create({ id: 'a' });
      has(await desk.store.holders(), [{ process: { pid: process.pid }, heartbeatAt: KIT_NOW, sessionIds: ['a'] }]);
    },
  },
  {
    name: 'leases: claims nothing by reading',
    async run(desk) {
      await desk.create({ id: 'a' });
      const other = await desk.openOther();
      await other.get('a');
      await messagesOf(other, 'a');
      await other.search({ text: 'anything' });
      assert.equal((await desk.store.holders()).length, 1);
    },
  },
  {
    name: 'leases: claims a session with the first append, beside other holders',
    async run(desk) {
      await desk.create({ id: 'a' });
      const other = await desk.openOther();
      await other.append('a', [user('x')]);
      const holders = await desk.store.holders();
      assert.deepEqual(
        holders.map(({ sessionIds }) => sessionIds),
        [['a'], ['a']],
      );
      assert.equal(new Set(holders.map(({ id }) => id)).size, 2);
    },
  },
  {
    name: 'leases: gives a claim up by ending and by release, and takes it again with the next append',
    async run(desk) {
      for (const id of ['a', 'b', 'c']) await desk.create({ id });
      await desk.store.end('a', 'done');
      await desk.store.release('b');
      await desk.store.release('b');
      assert.deepEqual(await desk.held(), ['c']);
      await desk.store.append('b', [user('x')]);
      await desk.store.resume('a');
      await desk.store.append('a', [user('x')]);
      assert.deepEqual(await desk.held(), ['a', 'b', 'c']);
    },
  },
  {
    name: 'leases: claims a session anew with the next message when its claim is gone, as after a transaction that was undone',
    async run(desk) {
      await desk.create({ id: 'a' });
      await desk.store.repair.forget(await desk.store.holders());
      assert.deepEqual(await desk.held(), []);
      await desk.store.append('a', [user('x')]);
      assert.deepEqual(await desk.held(), ['a']);
    },
  },
  ...Object.entries<(store: SessionStore) => Promise<unknown>>({
    'what was used': (store) => store.recordUsage('a', { model: 'm', inputTokens: 1 }),
    'a dump': (store) => store.recordDumps('a', { sizeBytes: 1 }),
  }).map(
    ([what, record]): KitCase<StoreDesk> => ({
      name: `leases: claims an open session by recording ${what}, and no ended one`,
      async run(desk) {
        await desk.create({ id: 'a' });
        await desk.store.release('a');
        await record(desk.store);
        assert.deepEqual(await desk.held(), ['a']);
        await desk.store.end('a', 'done');
        await record(desk.store);
        assert.deepEqual(await desk.held(), []);
      },
    }),
  ),
  {
    name: 'leases: gives up only its own claim',
    async run(desk) {
      await desk.create({ id: 'a' });
      const other = await desk.openOther();
      await other.append('a', [user('x')]);
      await other.release('a');
      assert.deepEqual(await desk.held(), ['a']);
    },
  },
  {
    name: 'leases: gives everything up when it is closed',
    async run(desk) {
      await desk.create({ id: 'a' });
      const other = await desk.openOther();
      await other.append('a', [user('x')]);
      await other.create({ id: 'b', source: 'cli' });
      desk.others.splice(0);
      await other[Symbol.asyncDispose]();
      assert.deepEqual(await desk.held(), ['a']);
      assert.equal((await desk.store.holders()).length, 1);
    },
  },
  {
    name: 'leases: claims a session that is created after another was removed',
    async run(desk) {
      await desk.create({ id: 'a' });
      await removeSessions(desk.store, ['a']);
      assert.deepEqual(await desk.held(), []);
      await desk.create({ id: 'b' });
      assert.deepEqual(await desk.held(), ['b']);
      await removeSessions(desk.store, ['b']);
      await desk.create({ id: 'b' });
      assert.deepEqual(await desk.held(), ['b']);
    },
  },
  {
    name: 'leases: claims by appending what another process created after removing',
    async run(desk) {
      await desk.create({ id: 'a' });
      const other = await desk.openOther();
      await removeSessions(other, ['a']);
      await other.create({ id: 'b', source: 'cli' });
      await desk.store.append('b', [user('x')]);
      assert.deepEqual(await desk.held(), ['b', 'b']);
    },
  },
]);
