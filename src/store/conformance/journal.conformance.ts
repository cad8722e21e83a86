import { describe, expect, it } from 'vitest';
import { NOW } from '../../../test/support/clock.ts';
import { collect } from '../../../test/support/collect.ts';
import { runItem } from '../../../test/support/run-item.ts';
import type { StoreDesk } from '../../../test/support/store-desk.ts';
import { DAY_MS } from '../../core/time.ts';

/** The record of runs. */
export function journalConformance(desk: StoreDesk): void {
  const { reopen } = desk;

  describe('journal', () => {
    const run = { id: 'run', request: { kind: 'policy' }, startedAt: NOW, expiresAt: NOW + DAY_MS } as const;

    it('keeps runs, newest first, and their items by number and state', async () => {
      await desk.store.journal.begin(run);
      await desk.store.journal.begin({
        ...run,
        id: 'later',
        startedAt: NOW + 1,
        request: { kind: 'delete', ids: ['a'] },
      });
      const items = Array.from({ length: 1100 }, (_, index) => runItem({ number: index + 1, id: `s${index}` }));
      await desk.store.journal.intend('run', items);
      await desk.store.journal.mark('run', [
        { number: 1, state: 'trashed' },
        { number: 1100, state: 'skipped', detail: 'It has changed.' },
      ]);
      await reopen();
      expect((await collect(desk.store.journal.runs())).map(({ id }) => id)).toEqual(['later', 'run']);
      expect(await desk.store.journal.run('later')).toMatchObject({ request: { kind: 'delete', ids: ['a'] } });
      expect(await desk.store.journal.run('nowhere')).toBeUndefined();
      const numbers = (await collect(desk.store.journal.items('run'))).map(({ number }) => number);
      expect(numbers).toEqual(items.map(({ number }) => number));
      expect(await collect(desk.store.journal.items('run', ['skipped', 'trashed']))).toEqual([
        { ...items[0], state: 'trashed' },
        { ...items[1099], state: 'skipped', detail: 'It has changed.' },
      ]);
      expect(await desk.store.journal.totals('run')).toEqual({
        intended: { items: 1098, sizeBytes: 10_980 },
        trashed: { items: 1, sizeBytes: 10 },
        skipped: { items: 1, sizeBytes: 10 },
      });
      expect(await desk.store.journal.totals('later')).toEqual({});
    });

    it('names the runs that were cut short, and those with an item whose step was', async () => {
      await desk.store.journal.begin(run);
      expect(await desk.store.journal.unfinished()).toEqual(['run']);
      await desk.store.journal.intend('run', [runItem({ number: 1, id: 's' })]);
      await desk.store.journal.finish('run', NOW + 5);
      expect(await desk.store.journal.run('run')).toEqual({ ...run, finishedAt: NOW + 5 });
      for (const state of ['intended', 'undoing', 'purging'] as const) {
        await desk.store.journal.mark('run', [{ number: 1, state }]);
        expect(await desk.store.journal.unfinished(), state).toEqual(['run']);
      }
      for (const state of ['trashed', 'skipped', 'restored', 'purged'] as const) {
        await desk.store.journal.mark('run', [{ number: 1, state }]);
        expect(await desk.store.journal.unfinished(), state).toEqual([]);
      }
    });

    it('forgets runs with nothing left to give back, the old ones and all but the newest', async () => {
      const { journal } = desk.store;
      const states = [
        'skipped',
        'restored',
        'purged',
        'intended',
        'trashed',
        'archived',
        'undoing',
        'purging',
      ] as const;
      for (const [index, state] of states.entries()) {
        await journal.begin({ ...run, id: state, startedAt: NOW + index });
        await journal.intend(
          state,
          Array.from({ length: 700 }, (_, at) => runItem({ number: at + 1, id: `s${at}` })),
        );
        const settled = Array.from({ length: 700 }, (_, at) => ({ number: at + 1, state: 'purged' as const }));
        await journal.mark(state, [...settled, { number: 350, state }]);
        await journal.finish(state, NOW + index);
      }
      await journal.begin({ ...run, id: 'cut short' });
      const left = async () => (await collect(journal.runs())).map(({ id }) => id).toReversed();
      expect(await journal.forget({ before: NOW, newest: 100 })).toBe(0);
      expect(await journal.forget({ before: NOW + 1, newest: 100 })).toBe(1);
      expect(await left()).toEqual(['cut short', ...states.slice(1)]);
      expect(await collect(journal.items('skipped'))).toEqual([]);
      expect(await journal.forget({ before: NOW, newest: 6 })).toBe(1);
      expect(await journal.forget({ before: NOW + 100, newest: 0 })).toBe(1);
      expect(await left()).toEqual(['cut short', ...states.slice(3)]);
      expect(await collect(journal.items('trashed'))).toHaveLength(700);
    });

    it('knows the runs that have something in the trash, the first to expire first', async () => {
      const { journal } = desk.store;
      const states = [
        'skipped',
        'restored',
        'purged',
        'intended',
        'trashed',
        'archived',
        'undoing',
        'purging',
      ] as const;
      for (const [index, state] of states.entries()) {
        await journal.begin({ ...run, id: state, expiresAt: NOW - index });
        await journal.intend(state, [runItem({ number: 1, id: 's' }), runItem({ number: 2, id: 't' })]);
        await journal.mark(state, [
          { number: 1, state },
          { number: 2, state: 'purged' },
        ]);
      }
      expect((await journal.inTrash()).map(({ id }) => id)).toEqual(['purging', 'trashed']);
    });

    it('refuses the same run or item twice', async () => {
      await desk.store.journal.begin(run);
      await expect(desk.store.journal.begin(run)).rejects.toMatchObject({ name: 'Failure' });
      await desk.store.journal.intend('run', [runItem({ number: 1, id: 's' })]);
      await expect(desk.store.journal.intend('run', [runItem({ number: 1, id: 't' })])).rejects.toMatchObject({
        name: 'Failure',
      });
    });
  });
}
