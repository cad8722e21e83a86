import assert from 'node:assert/strict';
import { messagesOf, user } from './asking.ts';
import type { Failure } from '../../core/failure.ts';
import type { NewMessage } from '../../core/sessions/message.ts';
import { NO_USAGE } from '../../core/sessions/session.ts';
import type { KitCase } from '../kit-case.ts';
import { atDesk, type StorePlace } from './store-desk.ts';
import { has } from './has.ts';

/** Many writes at once, and several processes. */
export const concurrencyCases: readonly KitCase<StorePlace>[] = atDesk([
  {
    name: 'many at once: keeps every message of concurrent appends, in order for each session',
    async run(desk) {
      for (const id of ['a', 'b']) await desk.create({ id });
      const appends = Array.from({ length: 400 }, (_, index) =>
        desk.store.append(index % 3 === 0 ? 'a' : 'b', [user(`${index}`), user(`${index}+`)]),
      );
      const receipts = await Promise.all(appends);
      for (const [index, { firstSeq, lastSeq }] of receipts.entries()) {
        const id = index % 3 === 0 ? 'a' : 'b';
        const stored = await messagesOf(desk.store, id, { from: firstSeq, to: lastSeq });
        assert.deepEqual(
          stored.map(({ content }) => content),
          [`${index}`, `${index}+`],
        );
      }
      const numbers = (await desk.contents('b')).map((content) =>
        typeof content === 'string' ? Number.parseInt(content, 10) : 0,
      );
      assert.deepEqual(
        numbers,
        numbers.toSorted((a, b) => a - b),
      );
      assert.equal((await desk.factsOf('a')).messageCount + (await desk.factsOf('b')).messageCount, 800);
    },
  },
  {
    name: 'many at once: lets the failure of one write touch no other',
    async run(desk) {
      for (const id of ['a', 'ended']) await desk.create({ id });
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
      assert.deepEqual(outcomes, ['ok', 'refused', 'usage', 'not-found', 'refused', 'ok', 'usage', 'ok']);
      assert.deepEqual(await desk.contents('a'), ['1', '2']);
      has(await desk.factsOf('a'), { messageCount: 2, usage: NO_USAGE });
      assert.deepEqual(await desk.held(), ['a', 'b']);
    },
  },
  {
    name: 'many at once: carries out writes in the order they were asked for',
    async run(desk) {
      const results = await Promise.allSettled([
        desk.create({ id: 'a' }),
        desk.store.append('a', [user('before')]),
        desk.store.end('a', 'done'),
        desk.store.append('a', [user('refused')]),
        desk.store.resume('a'),
        desk.store.append('a', [user('after')]),
      ]);
      assert.deepEqual(
        results.map(({ status }) => status === 'fulfilled'),
        [true, true, true, false, true, true],
      );
      assert.deepEqual(await desk.contents('a'), ['before', 'after']);
    },
  },
  {
    name: 'many at once: sees what another process wrote',
    async run(desk) {
      const other = await desk.openOther();
      await desk.create({ id: 'a' });
      await other.append('a', [user('theirs')]);
      await desk.store.append('a', [user('ours')]);
      assert.deepEqual(await desk.contents('a'), ['theirs', 'ours']);
      assert.deepEqual(
        (await messagesOf(other, 'a')).map(({ seq }) => seq),
        [1, 2],
      );
    },
  },
]);
