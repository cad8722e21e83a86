import assert from 'node:assert/strict';
import type { KitCase } from '../kit-case.ts';
import { archivedIds } from './home-archive-cases.ts';
import { allDone } from './outcomes.ts';
import { type HomePlace, itemsFor, RUN, removals, sessionIds, type TestedHome } from './tested-home.ts';

/**
 * The contract of `HomeDriver` for processes that die: whatever was begun is finished by whoever asks again. For small homes, as each
 * change is died at in a home of its own.
 */
export const homeCrashCases: readonly KitCase<HomePlace>[] = [
  {
    name: 'finishes what was cut short, wherever it was, and can still undo it',
    run: dieAnywhere(async (home, change) => {
      const items = await removals(home);
      const died = await home.dieAt(change, (driver) => driver.discard(RUN, items));
      allDone(await home.driver.discard(RUN, items), items);
      const left = await sessionIds(home);
      assert.ok(!home.removable.some((id) => left.includes(id)));
      assert.deepEqual(await home.problems(), []);
      allDone(await home.driver.restore(RUN, items), items);
      return died;
    }),
  },
  {
    name: 'finishes an undo that was cut short, wherever it was',
    run: dieAnywhere(async (home, change) => {
      const items = await removals(home);
      await home.driver.discard(RUN, items);
      const died = await home.dieAt(change, (driver) => driver.restore(RUN, items));
      allDone(await home.driver.restore(RUN, items), items);
      return died;
    }),
  },
];

/** The same for drivers that can archive. */
export const homeArchiveCrashCases: readonly KitCase<HomePlace>[] = [
  {
    name: 'finishes an archive wherever it was cut short, and gives back what went into it',
    run: dieAnywhere(async (home, change) => {
      const items = await itemsFor(home, home.removable, 'archive');
      const died = await home.dieAt(change, (driver) => driver.discard(RUN, items));
      allDone(await home.driver.discard(RUN, items), items);
      assert.deepEqual(await archivedIds(home), home.removable.toSorted());
      allDone(await home.driver.restore(RUN, items), items);
      return died;
    }),
  },
  {
    name: 'finishes giving back from an archive wherever that was cut short',
    run: dieAnywhere(async (home, change) => {
      const items = await itemsFor(home, home.removable, 'archive');
      await home.driver.discard(RUN, items);
      const died = await home.dieAt(change, (driver) => driver.restore(RUN, items));
      allDone(await home.driver.restore(RUN, items), items);
      return died;
    }),
  },
];

/** Acts on one home after another, each time dying a little later, until nothing dies any more. Each home is then as it was. */
function dieAnywhere(act: (home: TestedHome, change: number) => Promise<boolean>) {
  return async ({ make, every = 1 }: HomePlace): Promise<void> => {
    let change = 1;
    for (let died = true; died; change += every) {
      await using home = await make();
      const before = await home.dump();
      died = await act(home, change);
      assert.deepEqual(await home.dump(), before);
      assert.deepEqual(await home.problems(), []);
      assert.deepEqual(await archivedIds(home), []);
    }
    assert.ok(change > 2, 'The step never died, so nothing was tried.');
  };
}
