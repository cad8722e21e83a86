import { describe, expect, it } from 'vitest';
import { checkProblems, collect, user } from '../../../test/support/collect.ts';
import { removeSessions } from '../../../test/support/remove-sessions.ts';
import type { StoreDesk } from '../../../test/support/store-desk.ts';

/** What a store keeps for its home, and what it says about itself. */
export function upkeepConformance(desk: StoreDesk): void {
  const { create, reopen } = desk;

  describe('meta', () => {
    it('keeps values by key', async () => {
      expect(await desk.store.getMeta('key')).toBeUndefined();
      await desk.store.setMeta('key', 'one');
      await desk.store.setMeta('key', 'two');
      await desk.store.setMeta('', '');
      await reopen();
      expect(await desk.store.getMeta('key')).toBe('two');
      expect(await desk.store.getMeta('')).toBe('');
    });
  });

  it('finds nothing wrong with itself, empty or used', async () => {
    const empty = await collect(desk.store.check());
    expect(empty.length).toBeGreaterThan(0);
    expect(empty.flatMap(({ problems }) => problems)).toEqual([]);
    await create({ id: 'a', title: 'first' });
    await desk.store.append('a', [user('hello \0 \ud800 日本'), user('x'.repeat(200_000))]);
    await desk.store.change('a', { title: 'second' });
    await create({ id: 'b' });
    await desk.store.append('b', [user('gone')]);
    await removeSessions(desk.store, ['b']);
    expect(await checkProblems(desk.store)).toEqual([]);
  });
}
