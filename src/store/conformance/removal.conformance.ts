import { describe, expect, it } from 'vitest';
import { NOW } from '../../../test/support/clock.ts';
import { checkProblems, collect, messagesOf, user } from '../../../test/support/collect.ts';
import { removeSessions } from '../../../test/support/remove-sessions.ts';
import type { StoreDesk } from '../../../test/support/store-desk.ts';
import { NO_USAGE } from '../../core/sessions/session.ts';
import { MAX_BATCH } from '../../core/sessions/session-writer.ts';
import { HOUR_MS } from '../../core/time.ts';

/** What is left of a session that was removed: its line in the ledger. */
export function removalConformance(desk: StoreDesk): void {
  const { create, factsOf, contents, listed, foundIds, reopen } = desk;

  describe('removal', () => {
    it('removes what it knows, says what it does not, and leaves the rest', async () => {
      for (const id of ['a', 'b', 'c']) {
        await create({ id });
        await desk.store.append(id, [user(id)]);
      }
      expect(await removeSessions(desk.store, ['a', 'nowhere', 'c', 'a'])).toEqual([
        { number: 1, status: 'done' },
        { number: 2, status: 'skipped', detail: 'It is gone already.' },
        { number: 3, status: 'done' },
        { number: 4, status: 'skipped', detail: 'It is gone already.' },
      ]);
      expect(await listed()).toEqual(['b']);
      expect(await contents('b')).toEqual(['b']);
      await expect(messagesOf(desk.store, 'a')).rejects.toMatchObject({ code: 'not-found' });
    });

    it('takes an id literally: no pattern, no prefix', async () => {
      for (const id of ['a', 'ab', 'a%', '*']) await create({ id });
      await removeSessions(desk.store, ['a%', '*']);
      expect(new Set(await listed())).toEqual(new Set(['a', 'ab']));
    });

    it('removes a session of more messages than one transaction takes', async () => {
      await create({ id: 's' });
      const batch = Array.from({ length: MAX_BATCH }, () => user('spline'));
      for (let count = 0; count < 3; count += 1) await desk.store.append('s', batch);
      expect(await removeSessions(desk.store, ['s'])).toEqual([{ number: 1, status: 'done' }]);
      expect(await foundIds('spline')).toEqual([]);
      expect(await checkProblems(desk.store)).toEqual([]);
    });

    it('writes into the ledger what the session was and what it cost', async () => {
      await create({ id: 's', title: 'title', workdir: '/srv' });
      await desk.store.append('s', [
        { role: 'assistant', content: 'x', toolCalls: [{ id: '1', name: 't', arguments: {} }] },
      ]);
      await desk.store.recordUsage('s', { model: 'a', costUsd: 0.1, inputTokens: 5 });
      await desk.store.recordUsage('s', { model: 'b', costUsd: 0.2, reasoningTokens: 7 });
      const usageByModel = await desk.store.usageByModel('s');
      desk.clock.advance(HOUR_MS);
      await desk.store.end('s', 'done');
      desk.clock.advance(HOUR_MS);
      await removeSessions(desk.store, ['s']);
      await reopen();
      expect(await collect(desk.store.ledger())).toEqual([
        {
          number: expect.any(Number) as number,
          id: 's',
          source: 'cli',
          title: 'title',
          workdir: '/srv',
          startedAt: NOW,
          lastActiveAt: NOW,
          endedAt: NOW + HOUR_MS,
          endReason: 'done',
          messageCount: 1,
          toolCallCount: 1,
          usageByModel,
          removedAt: NOW + 2 * HOUR_MS,
        },
      ]);
    });

    it('keeps every entry of the ledger, the last first, for an id that is used again', async () => {
      for (const title of ['first', 'second']) {
        await create({ id: 's', title });
        await removeSessions(desk.store, ['s']);
      }
      expect((await collect(desk.store.ledger())).map(({ title }) => title)).toEqual(['second', 'first']);
    });

    it('starts a session anew under an id that was removed', async () => {
      await create({ id: 's', tags: ['old'] });
      await desk.store.append('s', [user('old')]);
      await desk.store.recordUsage('s', { model: 'm', inputTokens: 1 });
      await removeSessions(desk.store, ['s']);
      await create({ id: 's' });
      expect(await factsOf('s')).toMatchObject({ tags: [], messageCount: 0, usage: NO_USAGE });
      expect(await desk.store.usageByModel('s')).toEqual([]);
      expect(await desk.store.append('s', [user('new')])).toMatchObject({ firstSeq: 1 });
      expect(await contents('s')).toEqual(['new']);
    });

    it('stops a reader of a removed session and never shows it the messages of another', async () => {
      await create({ id: 'old' });
      await desk.store.append(
        'old',
        Array.from({ length: MAX_BATCH }, () => user('old')),
      );
      const seen = new Set<unknown>();
      let count = 0;
      for await (const { content } of desk.store.messages('old')) {
        seen.add(content);
        if (++count > 1) continue;
        await removeSessions(desk.store, ['old']);
        await create({ id: 'new' });
        await desk.store.append(
          'new',
          Array.from({ length: MAX_BATCH }, () => user('new')),
        );
      }
      expect([...seen]).toEqual(['old']);
    });
  });
}
