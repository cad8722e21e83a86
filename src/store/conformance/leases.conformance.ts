import { describe, expect, it } from 'vitest';
import { NOW } from '../../../test/support/clock.ts';
import { messagesOf, user } from '../../../test/support/collect.ts';
import { removeSessions } from '../../../test/support/remove-sessions.ts';
import type { StoreDesk } from '../../../test/support/store-desk.ts';

/** Which process claims which session. */
export function leasesConformance(desk: StoreDesk): void {
  const { create, held, openOther } = desk;

  describe('leases', () => {
    it('names this process as the holder of what it creates', async () => {
      await create({ id: 'a' });
      expect(await desk.store.holders()).toMatchObject([
        { process: { pid: process.pid }, heartbeatAt: NOW, sessionIds: ['a'] },
      ]);
    });

    it('claims nothing by reading', async () => {
      await create({ id: 'a' });
      const other = await openOther();
      await other.get('a');
      await messagesOf(other, 'a');
      await other.search({ text: 'anything' });
      expect(await desk.store.holders()).toHaveLength(1);
    });

    it('claims a session with the first append, beside other holders', async () => {
      await create({ id: 'a' });
      const other = await openOther();
      await other.append('a', [user('x')]);
      const holders = await desk.store.holders();
      expect(holders.map(({ sessionIds }) => sessionIds)).toEqual([['a'], ['a']]);
      expect(new Set(holders.map(({ id }) => id)).size).toBe(2);
    });

    it('gives a claim up by ending and by release, and takes it again with the next append', async () => {
      for (const id of ['a', 'b', 'c']) await create({ id });
      await desk.store.end('a', 'done');
      await desk.store.release('b');
      await desk.store.release('b');
      expect(await held()).toEqual(['c']);
      await desk.store.append('b', [user('x')]);
      await desk.store.resume('a');
      await desk.store.append('a', [user('x')]);
      expect(await held()).toEqual(['a', 'b', 'c']);
    });

    it('claims a session anew with the next message when its claim is gone, as after a transaction that was undone', async () => {
      await create({ id: 'a' });
      await desk.store.repair.forget(await desk.store.holders());
      expect(await held()).toEqual([]);
      await desk.store.append('a', [user('x')]);
      expect(await held()).toEqual(['a']);
    });

    it.each<[string, (store: StoreDesk['store']) => Promise<unknown>]>([
      ['what was used', (store) => store.recordUsage('a', { model: 'm', inputTokens: 1 })],
      ['a dump', (store) => store.recordDumps('a', { sizeBytes: 1 })],
    ])('claims an open session by recording %s, and no ended one', async (_, record) => {
      await create({ id: 'a' });
      await desk.store.release('a');
      await record(desk.store);
      expect(await held()).toEqual(['a']);
      await desk.store.end('a', 'done');
      await record(desk.store);
      expect(await held()).toEqual([]);
    });

    it('gives up only its own claim', async () => {
      await create({ id: 'a' });
      const other = await openOther();
      await other.append('a', [user('x')]);
      await other.release('a');
      expect(await held()).toEqual(['a']);
    });

    it('gives everything up when it is closed', async () => {
      await create({ id: 'a' });
      const other = await openOther();
      await other.append('a', [user('x')]);
      await other.create({ id: 'b', source: 'cli' });
      desk.others.splice(0);
      await other[Symbol.asyncDispose]();
      expect(await held()).toEqual(['a']);
      expect(await desk.store.holders()).toHaveLength(1);
    });

    it('claims a session that is created after another was removed', async () => {
      await create({ id: 'a' });
      await removeSessions(desk.store, ['a']);
      expect(await held()).toEqual([]);
      await create({ id: 'b' });
      expect(await held()).toEqual(['b']);
      await removeSessions(desk.store, ['b']);
      await create({ id: 'b' });
      expect(await held()).toEqual(['b']);
    });

    it('claims by appending what another process created after removing', async () => {
      await create({ id: 'a' });
      const other = await openOther();
      await removeSessions(other, ['a']);
      await other.create({ id: 'b', source: 'cli' });
      await desk.store.append('b', [user('x')]);
      expect(await held()).toEqual(['b', 'b']);
    });
  });
}
