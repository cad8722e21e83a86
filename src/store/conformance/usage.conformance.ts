import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NOW } from '../../../test/support/clock.ts';
import type { StoreDesk } from '../../../test/support/store-desk.ts';
import { type ModelUsage, NO_USAGE } from '../../core/sessions/session.ts';
import type { SessionStore } from '../../core/sessions/session-store.ts';
import { HOUR_MS } from '../../core/time.ts';

/** What a session costs. */
export function usageConformance(desk: StoreDesk): void {
  const { create, factsOf, reopen } = desk;

  describe('usage', () => {
    it('adds up money exactly, per model and in total', async () => {
      await create({ id: 's' });
      await Promise.all(
        Array.from({ length: 1000 }, (_, index) =>
          desk.store.recordUsage('s', { model: index % 2 === 0 ? 'even' : 'odd', costUsd: 0.1, inputTokens: 3 }),
        ),
      );
      expect((await factsOf('s')).usage).toEqual({ ...NO_USAGE, costUsd: 100, inputTokens: 3000 });
      expect(await desk.store.usageByModel('s')).toEqual([
        { ...NO_USAGE, model: 'even', costUsd: 50, inputTokens: 1500 },
        { ...NO_USAGE, model: 'odd', costUsd: 50, inputTokens: 1500 },
      ]);
    });

    it('keeps a total that is the sum of its models, whatever is reported', async () => {
      const tokens = fc.nat({ max: 1e9 });
      const report = fc.record({
        model: fc.constantFrom('a', 'b', 'c'),
        inputTokens: tokens,
        outputTokens: tokens,
        cacheReadTokens: tokens,
        cacheWriteTokens: tokens,
        reasoningTokens: tokens,
        // Thousandths of a dollar: numbers that floating point cannot add exactly.
        costUsd: tokens.map((value) => (value % 1e6) / 1000),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(report, { maxLength: 20 }), async (reports) => {
          const { id } = await create();
          for (const given of reports) await desk.store.recordUsage(id, given);
          const { usage } = await factsOf(id);
          const millis = reports.reduce((sum, { costUsd }) => sum + Math.round(costUsd * 1000), 0);
          expect(usage.costUsd).toBe(millis / 1000);
          expect(usage.inputTokens).toBe(reports.reduce((sum, { inputTokens }) => sum + inputTokens, 0));
          expect(sumOf(await desk.store.usageByModel(id), 'outputTokens')).toBe(usage.outputTokens);
          expect(sumOf(await desk.store.usageByModel(id), 'reasoningTokens')).toBe(usage.reasoningTokens);
        }),
        { numRuns: 25 },
      );
    });

    it('lists the most expensive model first and survives closing', async () => {
      await create({ id: 's' });
      await desk.store.recordUsage('s', { model: 'cheap', costUsd: 0.01 });
      await desk.store.recordUsage('s', { model: 'dear', costUsd: 2, cacheReadTokens: 5, cacheWriteTokens: 6 });
      await reopen();
      expect(await desk.store.usageByModel('s')).toEqual([
        { ...NO_USAGE, model: 'dear', costUsd: 2, cacheReadTokens: 5, cacheWriteTokens: 6 },
        { ...NO_USAGE, model: 'cheap', costUsd: 0.01 },
      ]);
    });

    it.each([
      ['a negative count', { inputTokens: -1 }],
      ['half a token', { outputTokens: 0.5 }],
      ['not a number', { inputTokens: Number.NaN }],
      ['an endless cost', { costUsd: Number.POSITIVE_INFINITY }],
      ['a negative cost', { costUsd: -0.01 }],
      ['a cost beyond all counting', { costUsd: 1e10 }],
      ['a text', { costUsd: '1' }],
      ['no model', { model: '' }],
    ])('refuses %s and counts nothing of it', async (_what, bad) => {
      await create({ id: 's' });
      const report = { model: 'm', inputTokens: 1, ...bad } as unknown as Parameters<SessionStore['recordUsage']>[1];
      await expect(desk.store.recordUsage('s', report)).rejects.toMatchObject({ name: 'Failure', code: 'usage' });
      expect((await factsOf('s')).usage).toEqual(NO_USAGE);
      expect(await desk.store.usageByModel('s')).toEqual([]);
    });

    it('records what bears an id once, until the id is forgotten', async () => {
      await create({ id: 's' });
      const record = (once: string, forget: readonly string[] = []) =>
        desk.store.recordUsage('s', { model: 'm', inputTokens: 5 }, { once, forget });
      await Promise.all([record('a'), record('a'), record('b')]);
      await record('a');
      expect((await factsOf('s')).usage.inputTokens).toBe(10);
      expect((await desk.store.usageIds()).toSorted()).toEqual(['a', 'b']);
      await record('c', ['a']);
      await desk.store.forgetUsageIds(['b']);
      expect(await desk.store.usageIds()).toEqual(['c']);
      // Nothing is remembered of what was not recorded.
      await expect(desk.store.recordUsage('nowhere', { model: 'm' }, { once: 'd' })).rejects.toThrow();
      expect(await desk.store.usageIds()).toEqual(['c']);
    });

    it('claims nothing and is no activity when it was used by a process that has died', async () => {
      await create({ id: 's' });
      await desk.store.release('s');
      desk.clock.advance(HOUR_MS);
      await desk.store.recordUsage('s', { model: 'm', inputTokens: 5 }, { late: true });
      expect(await factsOf('s')).toMatchObject({ lastActiveAt: NOW, usage: { inputTokens: 5 } });
      expect((await desk.store.holders()).flatMap(({ sessionIds }) => sessionIds)).toEqual([]);
    });

    it('counts as activity', async () => {
      await create({ id: 's' });
      desk.clock.advance(HOUR_MS);
      await desk.store.recordUsage('s', { model: 'm' });
      expect((await factsOf('s')).lastActiveAt).toBe(NOW + HOUR_MS);
    });

    it('remembers how much the request dumps take', async () => {
      await create({ id: 's' });
      await desk.store.recordDumps('s', { sizeBytes: 1234 });
      await desk.store.recordDumps('s', { sizeBytes: 99 });
      expect((await factsOf('s')).dumpBytes).toBe(99);
    });

    it('counts a request dump as activity, also one that takes the place of another of its size', async () => {
      await create({ id: 's' });
      await desk.store.recordDumps('s', { sizeBytes: 99 });
      desk.clock.advance(HOUR_MS);
      await desk.store.recordDumps('s', { sizeBytes: 99 });
      expect((await factsOf('s')).lastActiveAt).toBe(NOW + HOUR_MS);
    });
  });
}

function sumOf(usage: readonly ModelUsage[], field: 'outputTokens' | 'reasoningTokens'): number {
  return usage.reduce((sum, entry) => sum + entry[field], 0);
}
