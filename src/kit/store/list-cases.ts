import assert from 'node:assert/strict';
import { user } from './asking.ts';
import { removeSessions } from './removing.ts';
import { HOUR_MS } from '../../core/time.ts';
import { KIT_NOW, type KitCase } from '../kit-case.ts';
import { atDesk, type StorePlace } from './store-desk.ts';

/** What is listed, and in which order. */
export const listCases: readonly KitCase<StorePlace>[] = atDesk([
  {
    name: 'lists: lists the most recently active first',
    async run(desk) {
      await desk.createAt('a', KIT_NOW);
      await desk.createAt('b', KIT_NOW + 2);
      await desk.createAt('c', KIT_NOW + 1);
      assert.deepEqual(await desk.listed(), ['b', 'c', 'a']);
      desk.clock.set(KIT_NOW + 3);
      await desk.store.append('a', [user('x')]);
      assert.deepEqual(await desk.listed(), ['a', 'b', 'c']);
      assert.deepEqual(await desk.listed({ sort: 'last', limit: 2 }), ['a', 'b']);
      assert.deepEqual(await desk.listed({ limit: 0 }), []);
    },
  },
  {
    name: 'lists: sorts by size, messages, tokens and cost, largest first',
    async run(desk) {
      for (const id of ['a', 'b', 'c']) await desk.create({ id });
      await desk.store.append('a', [user('x'.repeat(1000))]);
      await desk.store.append('b', [user('x'), user('y'), user('z')]);
      await desk.store.append('c', [user('x'), user('y')]);
      await desk.store.recordUsage('c', { model: 'm', inputTokens: 10, costUsd: 1 });
      await desk.store.recordUsage('b', { model: 'm', cacheReadTokens: 20, costUsd: 0.5 });
      await desk.store.recordUsage('a', { model: 'm', reasoningTokens: 99 });
      await desk.store.recordDumps('c', { sizeBytes: 1e6 });
      assert.deepEqual(await desk.listed({ sort: 'size' }), ['c', 'a', 'b']);
      assert.deepEqual(await desk.listed({ sort: 'bytes' }), ['c', 'a', 'b']);
      assert.deepEqual(await desk.listed({ sort: 'messages' }), ['b', 'c', 'a']);
      assert.deepEqual(await desk.listed({ sort: 'tokens' }), ['b', 'c', 'a']);
      assert.deepEqual(await desk.listed({ sort: 'cost' }), ['c', 'b', 'a']);
    },
  },
  {
    name: 'lists: includes `since` and leaves out `before`',
    async run(desk) {
      for (const offset of [0, 1, 2]) await desk.createAt(`${offset}`, KIT_NOW + offset);
      assert.deepEqual(await desk.listed({ since: KIT_NOW + 1 }), ['2', '1']);
      assert.deepEqual(await desk.listed({ before: KIT_NOW + 1 }), ['0']);
      assert.deepEqual(await desk.listed({ since: KIT_NOW + 1, before: KIT_NOW + 2 }), ['1']);
    },
  },
  {
    name: 'lists: filters by source, exactly',
    async run(desk) {
      await desk.create({ id: 'a', source: 'cron' });
      await desk.create({ id: 'b', source: 'cron2' });
      assert.deepEqual(await desk.listed({ source: 'cron' }), ['a']);
      assert.deepEqual(await desk.listed({ source: 'cro%' }), []);
    },
  },
  {
    name: 'lists: filters by facts, counts what it gives, and limits after filtering',
    async run(desk) {
      await desk.create({ id: 'a', title: 'Moving the Blog', workdir: '/blog', tags: ['work', 'urgent'], model: 'm' });
      await desk.create({ id: 'b', title: 'blogs', workdir: '/blog/posts', tags: ['work'] });
      await desk.create({ id: 'c', workdir: '/blog2' });
      await desk.store.change('b', { pinned: true });
      assert.deepEqual(await desk.listed({ filter: { title: 'BLOG' } }), ['b', 'a']);
      assert.deepEqual(await desk.listed({ filter: { title: 'BLOG' }, limit: 1 }), ['b']);
      assert.deepEqual(await desk.listed({ filter: { project: '/blog' } }), ['b', 'a']);
      assert.deepEqual(await desk.listed({ filter: { workdir: '/blog' } }), ['a']);
      assert.deepEqual(await desk.listed({ filter: { tags: ['work'] } }), ['b', 'a']);
      assert.deepEqual(await desk.listed({ filter: { tags: ['work', 'urgent'], model: 'm' } }), ['a']);
      assert.deepEqual(await desk.listed({ filter: { pinned: true } }), ['b']);
      assert.deepEqual(await desk.listed({ filter: { pinned: false } }), ['c', 'a']);
      assert.equal(await desk.store.counts.sessions({ filter: { tags: ['work'] } }), 2);
      assert.deepEqual(await desk.listed({ filter: { title: '' } }), []);
    },
  },
  {
    name: 'lists: leaves out as many at the beginning as it is told',
    async run(desk) {
      for (const offset of [0, 1, 2]) await desk.createAt(`${offset}`, KIT_NOW + offset);
      assert.deepEqual(await desk.listed({ skip: 1 }), ['1', '0']);
      assert.deepEqual(await desk.listed({ skip: 1, limit: 1 }), ['1']);
      assert.deepEqual(await desk.listed({ skip: 3 }), []);
    },
  },
  {
    name: 'lists: lists as active what a named holder claims, and what was used since, if it is open',
    async run(desk) {
      await desk.createAt('held', KIT_NOW);
      await desk.createAt('quiet', KIT_NOW);
      await desk.store.release('quiet');
      await desk.createAt('recent', KIT_NOW + HOUR_MS);
      await desk.store.release('recent');
      await desk.createAt('ended', KIT_NOW + HOUR_MS);
      await desk.store.end('ended', 'done');
      const holderIds = (await desk.store.holders()).map(({ id }) => id);
      const since = KIT_NOW + HOUR_MS;
      assert.deepEqual(new Set(await desk.listed({ active: { holderIds, since } })), new Set(['held', 'recent']));
      assert.deepEqual(await desk.listed({ active: { holderIds: [], since } }), ['recent']);
      assert.deepEqual(await desk.listed({ active: { holderIds: [], since: since + 1 } }), []);
      assert.deepEqual(await desk.listed({ active: { holderIds, since }, source: 'other' }), []);
    },
  },
  {
    name: 'lists: gives every other session once when one is removed while the list is read',
    async run(desk) {
      for (const id of ['a', 'b', 'c']) await desk.create({ id });
      const seen: string[] = [];
      for await (const { id } of desk.store.list()) {
        seen.push(id);
        if (seen.length === 1) await removeSessions(desk.store, ['b']);
      }
      // Rows may be read some way ahead, so the removed one may be there or not.
      assert.deepEqual(
        seen.filter((id) => id !== 'b'),
        ['c', 'a'],
      );
    },
  },
  {
    name: 'lists: stays correct when sessions are created while it is read',
    async run(desk) {
      for (const id of ['a', 'b']) await desk.create({ id });
      const seen: string[] = [];
      for await (const { id } of desk.store.list()) {
        seen.push(id);
        await desk.create({ id: `new-${id}` });
      }
      assert.deepEqual(seen, ['b', 'a']);
    },
  },
]);
