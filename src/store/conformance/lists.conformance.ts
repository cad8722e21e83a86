import { describe, expect, it } from 'vitest';
import { NOW } from '../../../test/support/clock.ts';
import { user } from '../../../test/support/collect.ts';
import { removeSessions } from '../../../test/support/remove-sessions.ts';
import type { StoreDesk } from '../../../test/support/store-desk.ts';
import { HOUR_MS } from '../../core/time.ts';

/** What is listed, and in which order. */
export function listsConformance(desk: StoreDesk): void {
  const { create, createAt, listed } = desk;

  describe('lists', () => {
    it('lists the most recently active first', async () => {
      await createAt('a', NOW);
      await createAt('b', NOW + 2);
      await createAt('c', NOW + 1);
      expect(await listed()).toEqual(['b', 'c', 'a']);
      desk.clock.set(NOW + 3);
      await desk.store.append('a', [user('x')]);
      expect(await listed()).toEqual(['a', 'b', 'c']);
      expect(await listed({ sort: 'last', limit: 2 })).toEqual(['a', 'b']);
      expect(await listed({ limit: 0 })).toEqual([]);
    });

    it('sorts by size, messages, tokens and cost, largest first', async () => {
      for (const id of ['a', 'b', 'c']) await create({ id });
      await desk.store.append('a', [user('x'.repeat(1000))]);
      await desk.store.append('b', [user('x'), user('y'), user('z')]);
      await desk.store.append('c', [user('x'), user('y')]);
      await desk.store.recordUsage('c', { model: 'm', inputTokens: 10, costUsd: 1 });
      await desk.store.recordUsage('b', { model: 'm', cacheReadTokens: 20, costUsd: 0.5 });
      await desk.store.recordUsage('a', { model: 'm', reasoningTokens: 99 });
      await desk.store.recordDumps('c', { sizeBytes: 1e6 });
      expect(await listed({ sort: 'size' })).toEqual(['c', 'a', 'b']);
      expect(await listed({ sort: 'bytes' })).toEqual(['c', 'a', 'b']);
      expect(await listed({ sort: 'messages' })).toEqual(['b', 'c', 'a']);
      expect(await listed({ sort: 'tokens' })).toEqual(['b', 'c', 'a']);
      expect(await listed({ sort: 'cost' })).toEqual(['c', 'b', 'a']);
    });

    it('includes `since` and leaves out `before`', async () => {
      for (const offset of [0, 1, 2]) await createAt(`${offset}`, NOW + offset);
      expect(await listed({ since: NOW + 1 })).toEqual(['2', '1']);
      expect(await listed({ before: NOW + 1 })).toEqual(['0']);
      expect(await listed({ since: NOW + 1, before: NOW + 2 })).toEqual(['1']);
    });

    it('filters by source, exactly', async () => {
      await create({ id: 'a', source: 'cron' });
      await create({ id: 'b', source: 'cron2' });
      expect(await listed({ source: 'cron' })).toEqual(['a']);
      expect(await listed({ source: 'cro%' })).toEqual([]);
    });

    it('filters by facts, counts what it gives, and limits after filtering', async () => {
      await create({ id: 'a', title: 'Moving the Blog', workdir: '/blog', tags: ['work', 'urgent'], model: 'm' });
      await create({ id: 'b', title: 'blogs', workdir: '/blog/posts', tags: ['work'] });
      await create({ id: 'c', workdir: '/blog2' });
      await desk.store.change('b', { pinned: true });
      expect(await listed({ filter: { title: 'BLOG' } })).toEqual(['b', 'a']);
      expect(await listed({ filter: { title: 'BLOG' }, limit: 1 })).toEqual(['b']);
      expect(await listed({ filter: { project: '/blog' } })).toEqual(['b', 'a']);
      expect(await listed({ filter: { workdir: '/blog' } })).toEqual(['a']);
      expect(await listed({ filter: { tags: ['work'] } })).toEqual(['b', 'a']);
      expect(await listed({ filter: { tags: ['work', 'urgent'], model: 'm' } })).toEqual(['a']);
      expect(await listed({ filter: { pinned: true } })).toEqual(['b']);
      expect(await listed({ filter: { pinned: false } })).toEqual(['c', 'a']);
      expect(await desk.store.counts.sessions({ filter: { tags: ['work'] } })).toBe(2);
      expect(await listed({ filter: { title: '' } })).toEqual([]);
    });

    it('leaves out as many at the beginning as it is told', async () => {
      for (const offset of [0, 1, 2]) await createAt(`${offset}`, NOW + offset);
      expect(await listed({ skip: 1 })).toEqual(['1', '0']);
      expect(await listed({ skip: 1, limit: 1 })).toEqual(['1']);
      expect(await listed({ skip: 3 })).toEqual([]);
    });

    it('lists as active what a named holder claims, and what was used since, if it is open', async () => {
      await createAt('held', NOW);
      await createAt('quiet', NOW);
      await desk.store.release('quiet');
      await createAt('recent', NOW + HOUR_MS);
      await desk.store.release('recent');
      await createAt('ended', NOW + HOUR_MS);
      await desk.store.end('ended', 'done');
      const holderIds = (await desk.store.holders()).map(({ id }) => id);
      const since = NOW + HOUR_MS;
      expect(new Set(await listed({ active: { holderIds, since } }))).toEqual(new Set(['held', 'recent']));
      expect(await listed({ active: { holderIds: [], since } })).toEqual(['recent']);
      expect(await listed({ active: { holderIds: [], since: since + 1 } })).toEqual([]);
      expect(await listed({ active: { holderIds, since }, source: 'other' })).toEqual([]);
    });

    it('gives every other session once when one is removed while the list is read', async () => {
      for (const id of ['a', 'b', 'c']) await create({ id });
      const seen: string[] = [];
      for await (const { id } of desk.store.list()) {
        seen.push(id);
        if (seen.length === 1) await removeSessions(desk.store, ['b']);
      }
      // Rows may be read some way ahead, so the removed one may be there or not.
      expect(seen.filter((id) => id !== 'b')).toEqual(['c', 'a']);
    });

    it('stays correct when sessions are created while it is read', async () => {
      for (const id of ['a', 'b']) await create({ id });
      const seen: string[] = [];
      for await (const { id } of desk.store.list()) {
        seen.push(id);
        await create({ id: `new-${id}` });
      }
      expect(seen).toEqual(['b', 'a']);
    });
  });
}
