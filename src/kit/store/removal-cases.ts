import assert from 'node:assert/strict';
import { checkProblems, collect, messagesOf, user } from './asking.ts';
import { removeSessions } from './removing.ts';
import { NO_USAGE } from '../../core/sessions/session.ts';
import { MAX_BATCH } from '../../core/stores/session-writer.ts';
import { HOUR_MS } from '../../core/time.ts';
import { KIT_NOW, type KitCase } from '../kit-case.ts';
import { atDesk, type StorePlace } from './store-desk.ts';
import { has } from './has.ts';

/** What is left of a session that was removed: its line in the ledger. */
export const removalCases: readonly KitCase<StorePlace>[] = atDesk([
  {
    name: 'removal: removes what it knows, says what it does not, and leaves the rest',
    async run(desk) {
      for (const id of ['a', 'b', 'c']) {
        await desk.create({ id });
        await desk.store.append(id, [user(id)]);
      }
      assert.deepEqual(await removeSessions(desk.store, ['a', 'nowhere', 'c', 'a']), [
        { number: 1, status: 'done' },
        { number: 2, status: 'skipped', detail: 'It is gone already.' },
        { number: 3, status: 'done' },
        { number: 4, status: 'skipped', detail: 'It is gone already.' },
      ]);
      assert.deepEqual(await desk.listed(), ['b']);
      assert.deepEqual(await desk.contents('b'), ['b']);
      await assert.rejects(messagesOf(desk.store, 'a'), { code: 'not-found' });
    },
  },
  {
    name: 'removal: takes an id literally: no pattern, no prefix',
    async run(desk) {
      for (const id of ['a', 'ab', 'a%', '*']) await desk.create({ id });
      await removeSessions(desk.store, ['a%', '*']);
      assert.deepEqual(new Set(await desk.listed()), new Set(['a', 'ab']));
    },
  },
  {
    name: 'removal: removes a session of more messages than one transaction takes',
    async run(desk) {
      await desk.create({ id: 's' });
      const batch = Array.from({ length: MAX_BATCH }, () => user('spline'));
      for (let count = 0; count < 3; count += 1) await desk.store.append('s', batch);
      assert.deepEqual(await removeSessions(desk.store, ['s']), [{ number: 1, status: 'done' }]);
      assert.deepEqual(await desk.foundIds('spline'), []);
      assert.deepEqual(await checkProblems(desk.store), []);
    },
  },
  {
    name: 'removal: writes into the ledger what the session was and what it cost',
    async run(desk) {
      await desk.create({ id: 's', title: 'title', workdir: '/srv' });
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
      await desk.reopen();
      const entries = await collect(desk.store.ledger());
      assert.equal(typeof entries[0]?.number, 'number');
      assert.deepEqual(entries, [
        {
          number: entries[0]?.number,
          id: 's',
          source: 'cli',
          title: 'title',
          workdir: '/srv',
          startedAt: KIT_NOW,
          lastActiveAt: KIT_NOW,
          endedAt: KIT_NOW + HOUR_MS,
          endReason: 'done',
          messageCount: 1,
          toolCallCount: 1,
          usageByModel,
          removedAt: KIT_NOW + 2 * HOUR_MS,
        },
      ]);
    },
  },
  {
    name: 'removal: keeps every entry of the ledger, the last first, for an id that is used again',
    async run(desk) {
      for (const title of ['first', 'second']) {
        await desk.create({ id: 's', title });
        await removeSessions(desk.store, ['s']);
      }
      assert.deepEqual(
        (await collect(desk.store.ledger())).map(({ title }) => title),
        ['second', 'first'],
      );
    },
  },
  {
    name: 'removal: starts a session anew under an id that was removed',
    async run(desk) {
      await desk.create({ id: 's', tags: ['old'] });
      await desk.store.append('s', [user('old')]);
      await desk.store.recordUsage('s', { model: 'm', inputTokens: 1 });
      await removeSessions(desk.store, ['s']);
      await desk.create({ id: 's' });
      has(await desk.factsOf('s'), { tags: [], messageCount: 0, usage: NO_USAGE });
      assert.deepEqual(await desk.store.usageByModel('s'), []);
      has(await desk.store.append('s', [user('new')]), { firstSeq: 1 });
      assert.deepEqual(await desk.contents('s'), ['new']);
    },
  },
  {
    name: 'removal: stops a reader of a removed session and never shows it the messages of another',
    async run(desk) {
      await desk.create({ id: 'old' });
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
        await desk.create({ id: 'new' });
        await desk.store.append(
          'new',
          Array.from({ length: MAX_BATCH }, () => user('new')),
        );
      }
      assert.deepEqual([...seen], ['old']);
    },
  },
]);
