import assert from 'node:assert/strict';
import type { KitCase } from '../kit-case.ts';
import { allDone, allSkipped, areAmong } from './outcomes.ts';
import {
  ALL_TRAITS,
  BACKWARDS,
  type HomePlace,
  IN_ORDER,
  ONE_BY_ONE,
  type PartAction,
  RUN,
  removals,
  itemsFor,
  sessionIds,
  TAKING,
} from './tested-home.ts';

/** The contract of `HomeDriver`, as behaviour. */
export function homeDriverCases({ parts } = ALL_TRAITS): readonly KitCase<HomePlace>[] {
  return [...OF_EVERY_HOME, ...parts.map(givesBackPart)];
}

const OF_EVERY_HOME: readonly KitCase<HomePlace>[] = [
  {
    name: 'changes nothing by scanning, and finds every session once',
    async run({ make }) {
      await using home = await make();
      const before = await home.dump();
      const ids = await sessionIds(home);
      areAmong([...home.removable, ...home.held], ids);
      assert.equal(new Set(ids).size, ids.length);
      assert.deepEqual(await home.dump(), before);
    },
  },
  {
    name: 'gives back exactly what it took, in whatever order',
    async run({ make }) {
      await using home = await make();
      const before = await home.dump();
      for (const order of [IN_ORDER, BACKWARDS, ONE_BY_ONE]) {
        const items = await removals(home);
        allDone(await home.driver.discard(RUN, items), items);
        const left = await sessionIds(home);
        assert.deepEqual(
          left.filter((id) => home.removable.includes(id)),
          [],
        );
        areAmong(home.held, left);
        assert.deepEqual(await home.problems(), []);
        for (const group of order(items)) allDone(await home.driver.restore(RUN, group), group);
        assert.deepEqual(await home.dump(), before);
        assert.deepEqual(await home.problems(), []);
      }
    },
  },
  {
    name: 'never takes what is held, whatever it is asked',
    async run({ make }) {
      await using home = await make();
      const before = await home.dump();
      for (const action of TAKING) {
        const items = await itemsFor(home, home.held, action);
        allSkipped(await home.driver.discard(RUN, items), items);
        assert.deepEqual(await home.dump(), before);
      }
    },
  },
  {
    name: 'leaves what changed since the plan was made',
    async run({ make }) {
      await using home = await make();
      const items = await removals(home);
      for (const id of home.removable) await home.change(id);
      const changed = await home.dump();
      const outcomes = await home.driver.discard(RUN, items);
      const sessions = items.filter(({ item }) => item.kind === 'session');
      const isSession = ({ number }: { readonly number: number }) => sessions.some((item) => item.number === number);
      allSkipped(outcomes.filter(isSession), sessions);
      await home.driver.restore(
        RUN,
        items.filter((item) => !isSession(item)),
      );
      assert.deepEqual(await home.dump(), changed);
    },
  },
  {
    name: 'does nothing more when it is asked the same again',
    async run({ make }) {
      await using home = await make();
      const before = await home.dump();
      const items = await removals(home);
      await home.driver.discard(RUN, items);
      const taken = await home.dump();
      allDone(await home.driver.discard(RUN, items), items);
      assert.deepEqual(await home.dump(), taken);
      await home.driver.restore(RUN, items);
      allDone(await home.driver.restore(RUN, items), items);
      assert.deepEqual(await home.dump(), before);
    },
  },
  {
    name: 'removes for good what it is told to, once and for all',
    async run({ make }) {
      await using home = await make();
      const items = await removals(home);
      await home.driver.discard(RUN, items);
      const taken = await home.dump();
      allDone(await home.driver.purge(RUN, items), items);
      allDone(await home.driver.purge(RUN, items), items);
      const sessions = items.filter(({ item }) => item.kind === 'session');
      allSkipped(await home.driver.restore(RUN, sessions), sessions);
      assert.deepEqual(await home.dump(), taken);
      assert.deepEqual(await home.problems(), []);
    },
  },
];

function givesBackPart(action: PartAction): KitCase<HomePlace> {
  return {
    name: `gives back the files it took from sessions that stay (${action})`,
    async run({ make }) {
      await using home = await make();
      const before = await home.dump();
      const items = await removals(home, action);
      allDone(await home.driver.discard(RUN, items), items);
      assert.notDeepEqual(await home.dump(), before);
      areAmong(home.removable, await sessionIds(home));
      allDone(await home.driver.restore(RUN, items), items);
      assert.deepEqual(await home.dump(), before);
    },
  };
}
