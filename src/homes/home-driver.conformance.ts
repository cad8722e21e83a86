import { describe, expect, it } from 'vitest';
import type { HomeDriver } from '../core/home-driver.ts';
import type { Item } from '../core/inventory.ts';
import type { ItemOutcome, RunAction, RunItem } from '../core/run.ts';

/** A home to try a driver on, with a few of everything in it. */
export interface TestedHome extends AsyncDisposable {
  readonly driver: HomeDriver;
  /** Sessions that nothing holds, later parts of a conversation first. */
  readonly removable: readonly string[];
  /** Sessions that are in use or pinned. */
  readonly held: readonly string[];
  /** Everything in the home that is not Coppice's own, in a form that can be compared: rows, search results, files. */
  dump(): Promise<unknown>;
  /** Changes a session the way its owner would. */
  change(id: string): Promise<void>;
  /** Damage that only a check of the whole home finds. */
  problems(): Promise<readonly string[]>;
  /**
   * Carries out a step that dies at the n-th change it makes to anything, as a process does. False when it has fewer changes.
   * What it leaves is what the next process finds.
   */
  dieAt(change: number, step: (driver: HomeDriver) => Promise<unknown>): Promise<boolean>;
}

export type MakeHome = () => Promise<TestedHome>;

const RUN = '01900000-0000-7000-8000-000000000001';
const LATER_RUN = '01900000-0000-7000-8000-000000000002';

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

/** There are many ways to die. */
const CRASHES_MS = 300_000;

async function sessionIds({ driver }: TestedHome): Promise<string[]> {
  return (await driver.scan()).sessions.map(({ id }) => id);
}

/** Everything that may go: the removable sessions, and what no session owns. */
async function removals(home: TestedHome, action: RunAction = 'remove'): Promise<RunItem[]> {
  const { strays } = await home.driver.scan();
  const items = await itemsFor(home, home.removable, action);
  const others = action === 'remove' ? strays : [];
  return [...items, ...others.map((item, index) => toItem(item, items.length + index + 1, action))];
}

async function itemsFor(home: TestedHome, ids: readonly string[], action: RunAction): Promise<RunItem[]> {
  const { sessions } = await home.driver.scan();
  const byId = new Map(sessions.map((session) => [session.id, session]));
  return ids.map((id, index) => {
    const session = byId.get(id);
    if (session === undefined) throw new Error(`no session ${id}`);
    return toItem(session, index + 1, action);
  });
}

function toItem({ kind, id, fingerprint }: Item, number: number, action: RunAction): RunItem {
  const item = { kind, id };
  return { number, item, action, reason: 'named', fingerprint, sizeBytes: 0, skipsTrash: false, state: 'intended' };
}

/** By number: a driver may answer in whatever order it worked. */
function doneAll(items: readonly RunItem[]): unknown {
  const outcomes: ItemOutcome[] = items.map(({ number }) => ({ number, status: 'done' }));
  return expect.toSatisfy((found: readonly ItemOutcome[]) => {
    expect(found.toSorted((a, b) => a.number - b.number)).toEqual(outcomes.toSorted((a, b) => a.number - b.number));
    return true;
  });
}

type Order = (items: readonly RunItem[]) => readonly (readonly RunItem[])[];

const IN_ORDER: Order = (items) => [items];
const BACKWARDS: Order = (items) => [items.toReversed()];
const ONE_BY_ONE: Order = (items) => items.map((item) => [item]);
