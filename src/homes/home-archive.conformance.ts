import { describe, expect, it } from 'vitest';
import { USES } from '../core/sessions/in-use.ts';
import {
  BACKWARDS,
  CRASHES_MS,
  doneAll,
  IN_ORDER,
  itemsFor,
  LATER_RUN,
  type MakeHome,
  ONE_BY_ONE,
  RUN,
  type TestedHome,
  toItem,
} from './tested-home.conformance.ts';

/** The contract of drivers that can archive. Nothing of what is removable may stand in the way of that. */
export function testHomeArchive(name: string, makeHome: MakeHome): void {
  describe(`${name}: the archive`, () => {
    it('gives back exactly what went into it, in whatever order', async () => {
      await using home = await makeHome();
      const before = await home.dump();
      for (const order of [IN_ORDER, BACKWARDS, ONE_BY_ONE]) {
        const items = await itemsFor(home, home.removable, 'archive');
        expect(await home.driver.discard(RUN, items)).toEqual(doneAll(items));
        const { sessions, archives } = await home.driver.scan();
        expect(sessions.filter(({ id }) => home.removable.includes(id))).toEqual([]);
        expect(archives.map(({ id }) => id).toSorted()).toEqual(home.removable.toSorted());
        expect(await home.problems()).toEqual([]);
        expect(await home.driver.discard(RUN, items)).toEqual(doneAll(items));
        for (const group of order(items)) expect(await home.driver.restore(RUN, group)).toEqual(doneAll(group));
        expect(await home.driver.restore(RUN, items)).toEqual(doneAll(items));
        expect(await home.dump()).toEqual(before);
        expect((await home.driver.scan()).archives).toEqual([]);
      }
    });

    it('never takes what is held, nor what changed since the plan was made', async () => {
      await using home = await makeHome();
      const items = await itemsFor(home, [...home.removable, ...home.held], 'archive');
      for (const id of home.removable) await home.change(id);
      const before = await home.dump();
      const outcomes = await home.driver.discard(RUN, items);
      expect(outcomes.map(({ status }) => status)).toEqual(items.map(() => 'skipped'));
      expect(await home.dump()).toEqual(before);
      expect((await home.driver.scan()).archives).toEqual([]);
    });

    it.each(USES)('never takes what came into use since the plan was made (%s)', async (use) => {
      await using home = await makeHome();
      const [id = ''] = home.removable;
      const items = await itemsFor(home, [id], 'archive');
      await home.use(id, use);
      const before = await home.dump();
      expect(await home.driver.discard(RUN, items)).toMatchObject([{ status: 'skipped' }]);
      expect(await home.dump()).toEqual(before);
      expect((await home.driver.scan()).archives).toEqual([]);
    });

    it('lets archives go and come back, and forgets them for good', async () => {
      await using home = await makeHome();
      await home.driver.discard(RUN, await itemsFor(home, home.removable, 'archive'));
      const found = (await home.driver.scan()).archives.map((item, index) => toItem(item, index + 1, 'remove'));
      expect(await home.driver.discard(LATER_RUN, found)).toEqual(doneAll(found));
      expect((await home.driver.scan()).archives).toEqual([]);
      expect(await home.driver.restore(LATER_RUN, found)).toEqual(doneAll(found));
      expect((await home.driver.scan()).archives.length).toBe(found.length);
      await home.driver.discard(LATER_RUN, found);
      expect(await home.driver.purge(LATER_RUN, found)).toEqual(doneAll(found));
      const outcomes = await home.driver.restore(LATER_RUN, found);
      expect(outcomes.map(({ status }) => status)).toEqual(found.map(() => 'skipped'));
    });
  });
}

/** The same for processes that die. */
export function testHomeArchiveCrashes(name: string, makeHome: MakeHome, every = 1): void {
  const dieAnywhere = async (act: (home: TestedHome, change: number) => Promise<boolean>) => {
    let change = 1;
    for (let died = true; died; change += every) {
      await using home = await makeHome();
      const before = await home.dump();
      died = await act(home, change);
      expect(await home.dump()).toEqual(before);
      expect(await home.problems()).toEqual([]);
      expect((await home.driver.scan()).archives).toEqual([]);
    }
    expect(change).toBeGreaterThan(10);
  };
  describe(`${name}: the archive after a crash`, () => {
    it(
      'is finished wherever it was cut short, and gives back what went into it',
      () =>
        dieAnywhere(async (home, change) => {
          const items = await itemsFor(home, home.removable, 'archive');
          const died = await home.dieAt(change, (driver) => driver.discard(RUN, items));
          expect(await home.driver.discard(RUN, items)).toEqual(doneAll(items));
          const ids = (await home.driver.scan()).archives.map(({ id }) => id);
          expect(ids.toSorted()).toEqual(home.removable.toSorted());
          expect(await home.driver.restore(RUN, items)).toEqual(doneAll(items));
          return died;
        }),
      CRASHES_MS,
    );

    it(
      'finishes giving back wherever that was cut short',
      () =>
        dieAnywhere(async (home, change) => {
          const items = await itemsFor(home, home.removable, 'archive');
          await home.driver.discard(RUN, items);
          const died = await home.dieAt(change, (driver) => driver.restore(RUN, items));
          expect(await home.driver.restore(RUN, items)).toEqual(doneAll(items));
          return died;
        }),
      CRASHES_MS,
    );
  });
}
