import { describe, expect, it } from 'vitest';
import { NOW } from '../../../test/support/clock.ts';
import { messagesOf, user } from '../../../test/support/collect.ts';
import type { StoreDesk } from '../../../test/support/store-desk.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../core/time.ts';

/** How a session goes on, ends and is changed. */
export function changesConformance(desk: StoreDesk): void {
  const { create, factsOf, contents, reopen } = desk;

  describe('time', () => {
    it('moves lastActiveAt with each append, and the time of a message stays what the caller said', async () => {
      await create({ id: 's' });
      desk.clock.advance(MINUTE_MS);
      await desk.store.append('s', [{ ...user('old'), at: NOW - DAY_MS }, user('new')]);
      expect(await factsOf('s')).toMatchObject({ startedAt: NOW, lastActiveAt: NOW + MINUTE_MS });
      expect((await messagesOf(desk.store, 's')).map(({ at }) => at)).toEqual([NOW - DAY_MS, NOW + MINUTE_MS]);
    });

    it('never lets time run backwards in a session when the clock does', async () => {
      await create({ id: 's' });
      desk.clock.advance(HOUR_MS);
      await desk.store.append('s', [user('first')]);
      desk.clock.set(NOW - DAY_MS);
      await desk.store.append('s', [user('second')]);
      await desk.store.recordUsage('s', { model: 'm', inputTokens: 1 });
      expect((await factsOf('s')).lastActiveAt).toBe(NOW + HOUR_MS);
      expect(await contents('s')).toEqual(['first', 'second']);
      expect((await desk.store.end('s', 'done')).endedAt).toBe(NOW + HOUR_MS);
      expect((await desk.store.resume('s')).lastActiveAt).toBe(NOW + HOUR_MS);
    });
  });

  describe('ending', () => {
    it('ends a session once and keeps the first reason', async () => {
      await create({ id: 's' });
      desk.clock.advance(HOUR_MS);
      const ended = await desk.store.end('s', 'done');
      expect(ended).toMatchObject({ endedAt: NOW + HOUR_MS, endReason: 'done' });
      desk.clock.advance(HOUR_MS);
      expect(await desk.store.end('s', 'again')).toEqual(ended);
      await reopen();
      expect(await desk.store.get('s')).toEqual(ended);
    });

    it('takes no messages after the end, and takes them again after resume', async () => {
      await create({ id: 's' });
      await desk.store.append('s', [user('a')]);
      await desk.store.end('s', 'done');
      await expect(desk.store.append('s', [user('b')])).rejects.toMatchObject({ code: 'refused' });
      desk.clock.advance(HOUR_MS);
      const resumed = await desk.store.resume('s');
      expect(resumed).toMatchObject({ lastActiveAt: NOW + HOUR_MS });
      expect(resumed).not.toHaveProperty('endedAt');
      expect(resumed).not.toHaveProperty('endReason');
      expect(await desk.store.append('s', [user('b')])).toMatchObject({ firstSeq: 2 });
    });

    it('changes nothing when a session that is open is resumed', async () => {
      const open = await create({ id: 's' });
      desk.clock.advance(HOUR_MS);
      expect(await desk.store.resume('s')).toEqual(open);
    });

    it('refuses a reason that is not a line of text', async () => {
      await create({ id: 's' });
      await expect(desk.store.end('s', '')).rejects.toMatchObject({ code: 'usage' });
      await expect(desk.store.end('s', 'a\nb')).rejects.toMatchObject({ code: 'usage' });
      expect(await factsOf('s')).not.toHaveProperty('endedAt');
    });
  });

  describe('changes', () => {
    it('renames, pins, and changes the model', async () => {
      await create({ id: 's' });
      await desk.store.change('s', { title: 'new', pinned: true, model: 'm2' });
      await reopen();
      expect(await factsOf('s')).toMatchObject({ title: 'new', pinned: true, model: 'm2' });
      expect(await desk.store.change('s', { pinned: false })).toMatchObject({ title: 'new', pinned: false });
    });

    it('keeps tags as a set in order', async () => {
      await create({ id: 's', tags: ['b', 'a'] });
      expect((await desk.store.change('s', { addTags: ['c', 'a'], removeTags: ['b', 'unknown'] })).tags).toEqual([
        'a',
        'c',
      ]);
      expect((await desk.store.change('s', {})).tags).toEqual(['a', 'c']);
    });

    it('is not activity', async () => {
      await create({ id: 's' });
      desk.clock.advance(HOUR_MS);
      expect((await desk.store.change('s', { title: 'new', addTags: ['x'] })).lastActiveAt).toBe(NOW);
    });

    it.each([
      ['title', { title: 'a\nb' }],
      ['tag', { addTags: ['fine', ''] }],
      ['model', { model: 'half \ud800' }],
    ])('changes nothing at all when a %s is refused', async (_what, bad) => {
      const before = await create({ id: 's', title: 'old' });
      await expect(desk.store.change('s', { title: 'new', pinned: true, ...bad })).rejects.toMatchObject({
        name: 'Failure',
        code: 'usage',
      });
      expect(await desk.store.get('s')).toEqual(before);
    });
  });
}
