import assert from 'node:assert/strict';
import { NO_USAGE } from '../../core/sessions/session.ts';
import type { SessionStore } from '../../core/stores/session-store.ts';
import { HOUR_MS } from '../../core/time.ts';
import { KIT_NOW, type KitCase } from '../kit-case.ts';
import { atDesk, type StoreDesk, type StorePlace } from './store-desk.ts';
import { has } from './has.ts';

/** What a session costs. */
export const usageCases: readonly KitCase<StorePlace>[] = atDesk([
  {
    name: 'usage: adds up money exactly, per model and in total',
    async run(desk) {
      await desk.create({ id: 's' });
      await Promise.all(
        Array.from({ length: 1000 }, (_, index) =>
          desk.store.recordUsage('s', { model: index % 2 === 0 ? 'even' : 'odd', costUsd: 0.1, inputTokens: 3 }),
        ),
      );
      assert.deepEqual((await desk.factsOf('s')).usage, { ...NO_USAGE, costUsd: 100, inputTokens: 3000 });
      assert.deepEqual(await desk.store.usageByModel('s'), [
        { ...NO_USAGE, model: 'even', costUsd: 50, inputTokens: 1500 },
        { ...NO_USAGE, model: 'odd', costUsd: 50, inputTokens: 1500 },
      ]);
    },
  },
  {
    name: 'usage: lists the most expensive model first and survives closing',
    async run(desk) {
      await desk.create({ id: 's' });
      await desk.store.recordUsage('s', { model: 'cheap', costUsd: 0.01 });
      await desk.store.recordUsage('s', { model: 'dear', costUsd: 2, cacheReadTokens: 5, cacheWriteTokens: 6 });
      await desk.reopen();
      assert.deepEqual(await desk.store.usageByModel('s'), [
        { ...NO_USAGE, model: 'dear', costUsd: 2, cacheReadTokens: 5, cacheWriteTokens: 6 },
        { ...NO_USAGE, model: 'cheap', costUsd: 0.01 },
      ]);
    },
  },
  ...Object.entries({
    'a negative count': { inputTokens: -1 },
    'half a token': { outputTokens: 0.5 },
    'not a number': { inputTokens: Number.NaN },
    'an endless cost': { costUsd: Number.POSITIVE_INFINITY },
    'a negative cost': { costUsd: -0.01 },
    'a cost beyond all counting': { costUsd: 1e10 },
    'a text': { costUsd: '1' },
    'no model': { model: '' },
  }).map(
    ([what, bad]): KitCase<StoreDesk> => ({
      name: `usage: refuses ${what} and counts nothing of it`,
      async run(desk) {
        await desk.create({ id: 's' });
        const report = { model: 'm', inputTokens: 1, ...bad } as unknown as Parameters<SessionStore['recordUsage']>[1];
        await assert.rejects(desk.store.recordUsage('s', report), { name: 'Failure', code: 'usage' });
        assert.deepEqual((await desk.factsOf('s')).usage, NO_USAGE);
        assert.deepEqual(await desk.store.usageByModel('s'), []);
      },
    }),
  ),
  {
    name: 'usage: records what bears an id once, until the id is forgotten',
    async run(desk) {
      await desk.create({ id: 's' });
      const record = (once: string, forget: readonly string[] = []) =>
        desk.store.recordUsage('s', { model: 'm', inputTokens: 5 }, { once, forget });
      await Promise.all([record('a'), record('a'), record('b')]);
      await record('a');
      assert.equal((await desk.factsOf('s')).usage.inputTokens, 10);
      assert.deepEqual((await desk.store.usageIds()).toSorted(), ['a', 'b']);
      await record('c', ['a']);
      await desk.store.forgetUsageIds(['b']);
      assert.deepEqual(await desk.store.usageIds(), ['c']);
      // Nothing is remembered of what was not recorded.
      await assert.rejects(desk.store.recordUsage('nowhere', { model: 'm' }, { once: 'd' }));
      assert.deepEqual(await desk.store.usageIds(), ['c']);
    },
  },
  {
    name: 'usage: claims nothing and is no activity when it was used by a process that has died',
    async run(desk) {
      await desk.create({ id: 's' });
      await desk.store.release('s');
      desk.clock.advance(HOUR_MS);
      await desk.store.recordUsage('s', { model: 'm', inputTokens: 5 }, { late: true });
      has(await desk.factsOf('s'), { lastActiveAt: KIT_NOW, usage: { inputTokens: 5 } });
      assert.deepEqual(
        (await desk.store.holders()).flatMap(({ sessionIds }) => sessionIds),
        [],
      );
    },
  },
  {
    name: 'usage: counts as activity',
    async run(desk) {
      await desk.create({ id: 's' });
      desk.clock.advance(HOUR_MS);
      await desk.store.recordUsage('s', { model: 'm' });
      assert.equal((await desk.factsOf('s')).lastActiveAt, KIT_NOW + HOUR_MS);
    },
  },
  {
    name: 'usage: remembers how much the request dumps take',
    async run(desk) {
      await desk.create({ id: 's' });
      await desk.store.recordDumps('s', { sizeBytes: 1234 });
      await desk.store.recordDumps('s', { sizeBytes: 99 });
      assert.equal((await desk.factsOf('s')).dumpBytes, 99);
    },
  },
  {
    name: 'usage: counts a request dump as activity, also one that takes the place of another of its size',
    async run(desk) {
      await desk.create({ id: 's' });
      await desk.store.recordDumps('s', { sizeBytes: 99 });
      desk.clock.advance(HOUR_MS);
      await desk.store.recordDumps('s', { sizeBytes: 99 });
      assert.equal((await desk.factsOf('s')).lastActiveAt, KIT_NOW + HOUR_MS);
    },
  },
]);
