import assert from 'node:assert/strict';
import { checkProblems, collect, user } from './asking.ts';
import { removeSessions } from './removing.ts';
import type { KitCase } from '../kit-case.ts';
import { atDesk, type StorePlace } from './store-desk.ts';

/** What a store keeps for its home, and what it says about itself. */
export const upkeepCases: readonly KitCase<StorePlace>[] = atDesk([
  {
    name: 'meta: keeps values by key',
    async run(desk) {
      assert.equal(await desk.store.getMeta('key'), undefined);
      await desk.store.setMeta('key', 'one');
      await desk.store.setMeta('key', 'two');
      await desk.store.setMeta('', '');
      await desk.reopen();
      assert.equal(await desk.store.getMeta('key'), 'two');
      assert.equal(await desk.store.getMeta(''), '');
    },
  },
  {
    name: 'finds nothing wrong with itself, empty or used',
    async run(desk) {
      const empty = await collect(desk.store.check());
      assert.ok(empty.length > 0);
      assert.deepEqual(
        empty.flatMap(({ problems }) => problems),
        [],
      );
      await desk.create({ id: 'a', title: 'first' });
      await desk.store.append('a', [user('hello \0 \ud800 日本'), user('x'.repeat(200_000))]);
      await desk.store.change('a', { title: 'second' });
      await desk.create({ id: 'b' });
      await desk.store.append('b', [user('gone')]);
      await removeSessions(desk.store, ['b']);
      assert.deepEqual(await checkProblems(desk.store), []);
    },
  },
]);
