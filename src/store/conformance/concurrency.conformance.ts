import { describe, expect, it } from 'vitest';
import { messagesOf, user } from '../../../test/support/collect.ts';
import type { StoreDesk } from '../../../test/support/store-desk.ts';
import type { Failure } from '../../core/failure.ts';
import type { NewMessage } from '../../core/sessions/message.ts';
import { NO_USAGE } from '../../core/sessions/session.ts';

/** Many writes at once, and several processes. */
export function concurrencyConformance(desk: StoreDesk): void {
  const { create, factsOf, contents, held, openOther } = desk;

  describe('many at once', () => {
    it('keeps every message of concurrent appends, in order for each session', async () => {
      for (const id of ['a', 'b']) await create({ id });
      const appends = Array.from({ length: 400 }, (_, index) =>
        desk.store.append(index % 3 === 0 ? 'a' : 'b', [user(`${index}`), user(`${index}+`)]),
      );
      const receipts = await Promise.all(appends);
      for (const [index, { firstSeq, lastSeq }] of receipts.entries()) {
        const id = index % 3 === 0 ? 'a' : 'b';
        const stored = await messagesOf(desk.store, id, { from: firstSeq, to: lastSeq });
        expect(stored.map(({ content }) => content)).toEqual([`${index}`, `${index}+`]);
      }
      const numbers = (await contents('b')).map((content) =>
        typeof content === 'string' ? Number.parseInt(content, 10) : 0,
      );
      expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
      expect((await factsOf('a')).messageCount + (await factsOf('b')).messageCount).toBe(800);
    });

    it('lets the failure of one write touch no other', async () => {
      for (const id of ['a', 'ended']) await create({ id });
      await desk.store.end('ended', 'done');
      const bad = { role: 'robot', content: '' } as unknown as NewMessage;
      const results = await Promise.allSettled([
        desk.store.append('a', [user('1')]),
        desk.store.append('ended', [user('x')]),
        desk.store.append('a', [user('lost'), bad]),
        desk.store.append('nowhere', [user('x')]),
        desk.store.create({ id: 'a', source: 'cli' }),
        desk.store.append('a', [user('2')]),
        desk.store.recordUsage('a', { model: 'm', inputTokens: -1 }),
        desk.store.create({ id: 'b', source: 'cli' }),
      ]);
      const outcomes = results.map((result) =>
        result.status === 'fulfilled' ? 'ok' : (result.reason as Failure).code,
      );
      expect(outcomes).toEqual(['ok', 'refused', 'usage', 'not-found', 'refused', 'ok', 'usage', 'ok']);
      expect(await contents('a')).toEqual(['1', '2']);
      expect(await factsOf('a')).toMatchObject({ messageCount: 2, usage: NO_USAGE });
      expect(await held()).toEqual(['a', 'b']);
    });

    it('carries out writes in the order they were asked for', async () => {
      const results = await Promise.allSettled([
        create({ id: 'a' }),
        desk.store.append('a', [user('before')]),
        desk.store.end('a', 'done'),
        desk.store.append('a', [user('refused')]),
        desk.store.resume('a'),
        desk.store.append('a', [user('after')]),
      ]);
      expect(results.map(({ status }) => status === 'fulfilled')).toEqual([true, true, true, false, true, true]);
      expect(await contents('a')).toEqual(['before', 'after']);
    });

    it('sees what another process wrote', async () => {
      const other = await openOther();
      await create({ id: 'a' });
      await other.append('a', [user('theirs')]);
      await desk.store.append('a', [user('ours')]);
      expect(await contents('a')).toEqual(['theirs', 'ours']);
      expect((await messagesOf(other, 'a')).map(({ seq }) => seq)).toEqual([1, 2]);
    });
  });
}
