import assert from 'node:assert/strict';
import type { KitCase } from '../kit-case.ts';
import { allDone, allSkipped } from './outcomes.ts';
import {
  ALL_TRAITS,
  BACKWARDS,
  type HomePlace,
  IN_ORDER,
  itemsFor,
  LATER_RUN,
  ONE_BY_ONE,
  RUN,
  type TestedHome,
  toItem,
} from './tested-home.ts';

/** The contract of drivers that can archive. Nothing of what is removable may stand in the way of that. */
export function homeArchiveCases({ uses } = ALL_TRAITS): readonly KitCase<HomePlace>[] {
  return [
    ...OF_EVERY_ARCHIVE,
    ...uses.map(
      (use): KitCase<HomePlace> => ({
        name: `never archives what came into use since the plan was made (${use})`,
        async run({ make }) {
          await using home = await make();
          const [id = ''] = home.removable;
          const items = await itemsFor(home, [id], 'archive');
          await home.use(id, use);
          await staysOut(home, items);
        },
      }),
    ),
  ];
}

export async function archivedIds({ driver }: TestedHome): Promise<readonly string[]> {
  return (await driver.scan()).archives.map(({ id }) => id).toSorted();
}

async function staysOut(home: TestedHome, items: Awaited<ReturnType<typeof itemsFor>>): Promise<void> {
  const before = await home.dump();
  allSkipped(await home.driver.discard(RUN, items), items);
  assert.deepEqual(await home.dump(), before);
  assert.deepEqual(await archivedIds(home), []);
}

const OF_EVERY_ARCHIVE: readonly KitCase<HomePlace>[] = [
  {
    name: 'gives back exactly what went into the archive, in whatever order',
    async run({ make }) {
      await using home = await make();
      const before = await home.dump();
      for (const order of [IN_ORDER, BACKWARDS, ONE_BY_ONE]) {
        const items = await itemsFor(home, home.removable, 'archive');
        allDone(await home.driver.discard(RUN, items), items);
        const { sessions } = await home.driver.scan();
        assert.deepEqual(
          sessions.filter(({ id }) => home.removable.includes(id)),
          [],
        );
        assert.deepEqual(await archivedIds(home), home.removable.toSorted());
        assert.deepEqual(await home.problems(), []);
        allDone(await home.driver.discard(RUN, items), items);
        for (const group of order(items)) allDone(await home.driver.restore(RUN, group), group);
        allDone(await home.driver.restore(RUN, items), items);
        assert.deepEqual(await home.dump(), before);
        assert.deepEqual(await archivedIds(home), []);
      }
    },
  },
  {
    name: 'never archives what is held, nor what changed since the plan was made',
    async run({ make }) {
      await using home = await make();
      const items = await itemsFor(home, [...home.removable, ...home.held], 'archive');
      for (const id of home.removable) await home.change(id);
      await staysOut(home, items);
    },
  },
  {
    name: 'lets archives go and come back, and forgets them for good',
    async run({ make }) {
      await using home = await make();
      await home.driver.discard(RUN, await itemsFor(home, home.removable, 'archive'));
      const found = (await home.driver.scan()).archives.map((item, index) => toItem(item, index + 1, 'remove'));
      allDone(await home.driver.discard(LATER_RUN, found), found);
      assert.deepEqual(await archivedIds(home), []);
      allDone(await home.driver.restore(LATER_RUN, found), found);
      assert.equal((await archivedIds(home)).length, found.length);
      await home.driver.discard(LATER_RUN, found);
      allDone(await home.driver.purge(LATER_RUN, found), found);
      allSkipped(await home.driver.restore(LATER_RUN, found), found);
    },
  },
];
