import assert from 'node:assert/strict';
import { messagesOf, user } from './asking.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../core/time.ts';
import { KIT_NOW, type KitCase } from '../kit-case.ts';
import { atDesk, type StoreDesk, type StorePlace } from './store-desk.ts';
import { has, lacks } from './has.ts';

/** How a session goes on, ends and is changed. */
export const changeCases: readonly KitCase<StorePlace>[] = atDesk([
  {
    name: 'time: moves lastActiveAt with each append, and the time of a message stays what the caller said',
    async run(desk) {
      await desk.create({ id: 's' });
      desk.clock.advance(MINUTE_MS);
      await desk.store.append('s', [{ ...user('old'), at: KIT_NOW - DAY_MS }, user('new')]);
      has(await desk.factsOf('s'), { startedAt: KIT_NOW, lastActiveAt: KIT_NOW + MINUTE_MS });
      assert.deepEqual(
        (await messagesOf(desk.store, 's')).map(({ at }) => at),
        [KIT_NOW - DAY_MS, KIT_NOW + MINUTE_MS],
      );
    },
  },
  {
    name: 'time: never lets time run backwards in a session when the clock does',
    async run(desk) {
      await desk.create({ id: 's' });
      desk.clock.advance(HOUR_MS);
      await desk.store.append('s', [user('first')]);
      desk.clock.set(KIT_NOW - DAY_MS);
      await desk.store.append('s', [user('second')]);
      await desk.store.recordUsage('s', { model: 'm', inputTokens: 1 });
      assert.equal((await desk.factsOf('s')).lastActiveAt, KIT_NOW + HOUR_MS);
      assert.deepEqual(await desk.contents('s'), ['first', 'second']);
      assert.equal((await desk.store.end('s', 'done')).endedAt, KIT_NOW + HOUR_MS);
      assert.equal((await desk.store.resume('s')).lastActiveAt, KIT_NOW + HOUR_MS);
    },
  },
  {
    name: 'ending: ends a session once and keeps the first reason',
    async run(desk) {
      await desk.create({ id: 's' });
      desk.clock.advance(HOUR_MS);
      const ended = await desk.store.end('s', 'done');
      has(ended, { endedAt: KIT_NOW + HOUR_MS, endReason: 'done' });
      desk.clock.advance(HOUR_MS);
      assert.deepEqual(await desk.store.end('s', 'again'), ended);
      await desk.reopen();
      assert.deepEqual(await desk.store.get('s'), ended);
    },
  },
  {
    name: 'ending: takes no messages after the end, and takes them again after resume',
    async run(desk) {
      await desk.create({ id: 's' });
      await desk.store.append('s', [user('a')]);
      await desk.store.end('s', 'done');
      await assert.rejects(desk.store.append('s', [user('b')]), { code: 'refused' });
      desk.clock.advance(HOUR_MS);
      const resumed = await desk.store.resume('s');
      has(resumed, { lastActiveAt: KIT_NOW + HOUR_MS });
      lacks(resumed, 'endedAt');
      lacks(resumed, 'endReason');
      has(await desk.store.append('s', [user('b')]), { firstSeq: 2 });
    },
  },
  {
    name: 'ending: changes nothing when a session that is open is resumed',
    async run(desk) {
      const open = await desk.create({ id: 's' });
      desk.clock.advance(HOUR_MS);
      assert.deepEqual(await desk.store.resume('s'), open);
    },
  },
  {
    name: 'ending: refuses a reason that is not a line of text',
    async run(desk) {
      await desk.create({ id: 's' });
      await assert.rejects(desk.store.end('s', ''), { code: 'usage' });
      await assert.rejects(desk.store.end('s', 'a\nb'), { code: 'usage' });
      lacks(await desk.factsOf('s'), 'endedAt');
    },
  },
  {
    name: 'changes: renames, pins, and changes the model',
    async run(desk) {
      await desk.create({ id: 's' });
      await desk.store.change('s', { title: 'new', pinned: true, model: 'm2' });
      await desk.reopen();
      has(await desk.factsOf('s'), { title: 'new', pinned: true, model: 'm2' });
      has(await desk.store.change('s', { pinned: false }), { title: 'new', pinned: false });
    },
  },
  {
    name: 'changes: keeps tags as a set in order',
    async run(desk) {
      await desk.create({ id: 's', tags: ['b', 'a'] });
      assert.deepEqual((await desk.store.change('s', { addTags: ['c', 'a'], removeTags: ['b', 'unknown'] })).tags, [
        'a',
        'c',
      ]);
      assert.deepEqual((await desk.store.change('s', {})).tags, ['a', 'c']);
    },
  },
  {
    name: 'changes: is not activity',
    async run(desk) {
      await desk.create({ id: 's' });
      desk.clock.advance(HOUR_MS);
      assert.equal((await desk.store.change('s', { title: 'new', addTags: ['x'] })).lastActiveAt, KIT_NOW);
    },
  },
  ...Object.entries({
    title: { title: 'a\nb' },
    tag: { addTags: ['fine', ''] },
    model: { model: 'half \ud800' },
  }).map(
    ([what, bad]): KitCase<StoreDesk> => ({
      name: `changes: changes nothing at all when a ${what} is refused`,
      async run(desk) {
        const before = await desk.create({ id: 's', title: 'old' });
        await assert.rejects(desk.store.change('s', { title: 'new', pinned: true, ...bad }), {
          name: 'Failure',
          code: 'usage',
        });
        assert.deepEqual(await desk.store.get('s'), before);
      },
    }),
  ),
]);
