import { describe, expect, it } from 'vitest';
import {
  BACKWARDS,
  CRASHES_MS,
  doneAll,
  IN_ORDER,
  itemsFor,
  type MakeHome,
  ONE_BY_ONE,
  RUN,
  removals,
  sessionIds,
} from './tested-home.conformance.ts';

/** The contract of `HomeDriver`, as behaviour. */
export function testHomeDriver(name: string, makeHome: MakeHome): void {
  describe(`${name}: the driver`, () => {
    it('changes nothing by scanning, and finds every session once', async () => {
      await using home = await makeHome();
      const before = await home.dump();
      const ids = await sessionIds(home);
      expect(ids).toEqual(expect.arrayContaining([...home.removable, ...home.held]));
      expect(new Set(ids).size).toBe(ids.length);
      expect(await home.dump()).toEqual(before);
    });

    it('gives back exactly what it took, in whatever order', async () => {
      await using home = await makeHome();
      const before = await home.dump();
      for (const order of [IN_ORDER, BACKWARDS, ONE_BY_ONE]) {
        const items = await removals(home);
        expect(await home.driver.discard(RUN, items)).toEqual(doneAll(items));
        const left = await sessionIds(home);
        expect(left.filter((id) => home.removable.includes(id))).toEqual([]);
        expect(left).toEqual(expect.arrayContaining([...home.held]));
        expect(await home.problems()).toEqual([]);
        for (const group of order(items)) expect(await home.driver.restore(RUN, group)).toEqual(doneAll(group));
        expect(await home.dump()).toEqual(before);
        expect(await home.problems()).toEqual([]);
      }
    });

    it('gives back the files it took from sessions that stay', async () => {
      await using home = await makeHome();
      const before = await home.dump();
      for (const action of ['drop-dumps', 'drop-files'] as const) {
        const items = await removals(home, action);
        expect(await home.driver.discard(RUN, items)).toEqual(doneAll(items));
        expect(await home.dump()).not.toEqual(before);
        expect(await sessionIds(home)).toEqual(expect.arrayContaining([...home.removable]));
        expect(await home.driver.restore(RUN, items)).toEqual(doneAll(items));
        expect(await home.dump()).toEqual(before);
      }
    });

    it('never takes what is held, whatever it is asked', async () => {
      await using home = await makeHome();
      const before = await home.dump();
      for (const action of ['remove', 'drop-files', 'drop-dumps'] as const) {
        const items = await itemsFor(home, home.held, action);
        const outcomes = await home.driver.discard(RUN, items);
        expect(outcomes.map(({ status }) => status)).toEqual(items.map(() => 'skipped'));
        expect(outcomes.every((outcome) => 'detail' in outcome && /^[A-Z].*\.$/.test(outcome.detail))).toBe(true);
        expect(await home.dump()).toEqual(before);
      }
    });

    it('leaves what changed since the plan was made', async () => {
      await using home = await makeHome();
      const items = await removals(home);
      for (const id of home.removable) await home.change(id);
      const changed = await home.dump();
      const outcomes = await home.driver.discard(RUN, items);
      const sessions = items.filter(({ item }) => item.kind === 'session').map(({ number }) => number);
      expect(outcomes.filter(({ status }) => status === 'skipped').map(({ number }) => number)).toEqual(
        expect.arrayContaining(sessions),
      );
      await home.driver.restore(
        RUN,
        items.filter(({ number }) => !sessions.includes(number)),
      );
      expect(await home.dump()).toEqual(changed);
    });

    it('does nothing more when it is asked the same again', async () => {
      await using home = await makeHome();
      const before = await home.dump();
      const items = await removals(home);
      await home.driver.discard(RUN, items);
      const taken = await home.dump();
      expect(await home.driver.discard(RUN, items)).toEqual(doneAll(items));
      expect(await home.dump()).toEqual(taken);
      await home.driver.restore(RUN, items);
      expect(await home.driver.restore(RUN, items)).toEqual(doneAll(items));
      expect(await home.dump()).toEqual(before);
    });

    it('removes for good what it is told to, once and for all', async () => {
      await using home = await makeHome();
      const items = await removals(home);
      await home.driver.discard(RUN, items);
      const taken = await home.dump();
      expect(await home.driver.purge(RUN, items)).toEqual(doneAll(items));
      expect(await home.driver.purge(RUN, items)).toEqual(doneAll(items));
      const outcomes = await home.driver.restore(
        RUN,
        items.filter(({ item }) => item.kind === 'session'),
      );
      expect(outcomes.every(({ status }) => status === 'skipped')).toBe(true);
      expect(await home.dump()).toEqual(taken);
      expect(await home.problems()).toEqual([]);
    });
  });
}

/**
 * The same contract for processes that die: whatever was begun is finished by whoever asks again. For small homes. Tries to die
 * at every change, or at every so many.
 */
export function testHomeDriverCrashes(name: string, makeHome: MakeHome, every = 1): void {
  describe(`${name}: the driver after a crash`, () => {
    it(
      'finishes what was cut short, wherever it was, and can still undo it',
      async () => {
        let change = 1;
        for (let died = true; died; change += every) {
          await using home = await makeHome();
          const before = await home.dump();
          const items = await removals(home);
          died = await home.dieAt(change, (driver) => driver.discard(RUN, items));
          expect(await home.driver.discard(RUN, items)).toEqual(doneAll(items));
          expect(await sessionIds(home)).not.toEqual(expect.arrayContaining([...home.removable]));
          expect(await home.problems()).toEqual([]);
          expect(await home.driver.restore(RUN, items)).toEqual(doneAll(items));
          expect(await home.dump()).toEqual(before);
        }
        expect(change).toBeGreaterThan(10);
      },
      CRASHES_MS,
    );

    it(
      'finishes an undo that was cut short, wherever it was',
      async () => {
        let change = 1;
        for (let died = true; died; change += every) {
          await using home = await makeHome();
          const before = await home.dump();
          const items = await removals(home);
          await home.driver.discard(RUN, items);
          died = await home.dieAt(change, (driver) => driver.restore(RUN, items));
          expect(await home.driver.restore(RUN, items)).toEqual(doneAll(items));
          expect(await home.dump()).toEqual(before);
          expect(await home.problems()).toEqual([]);
        }
        expect(change).toBeGreaterThan(10);
      },
      CRASHES_MS,
    );
  });
}
