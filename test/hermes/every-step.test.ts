import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RunItem } from '../../src/core/retention/run.ts';
import { doneAll, itemsFor, RUN, removals, type TestedHome } from '../../src/homes/tested-home.conformance.ts';
import { tempDirInMemory } from '../support/engine-temp-dir.ts';
import { copyArchivingHermes } from '../support/hermes-archiving-home.ts';
import { addPrompts, buildHermesHome } from '../support/hermes-home.ts';
import { copyHermes, type HermesTemplate } from '../support/hermes-tested-home.ts';

/** As small as can be: a parent and its child, files, a prompt, an orphan, and a session that goes in more than one step. */
function template(): HermesTemplate {
  const path = join(tempDirInMemory(), 'template');
  const long = { role: 'tool', content: 'word '.repeat(8000) };
  buildHermesHome(path, {
    schema: 30,
    sessions: [
      { id: 'trunk', messages: ['hello'], files: ['dump'] },
      { id: 'twig', parent: 'trunk', messages: ['hello'], modelConfig: { _branched_from: 'trunk' } },
      { id: 'long', messages: [long, long] },
    ],
    files: { 'sessions/request_dump_gone_20260101_000000_000000.json': '{}' },
  });
  addPrompts(path, { 'One prompt': ['trunk', 'long'] });
  return { path, removable: ['twig', 'trunk', 'long'], held: [], words: ['hello', 'word'] };
}

interface Act {
  readonly name: string;
  /** It changes something more often than this, so that a trial that dies nowhere is noticed. */
  readonly least: number;
  readonly copy: (template: HermesTemplate) => Promise<TestedHome>;
  readonly items: (home: TestedHome) => Promise<RunItem[]>;
  /** What comes before, and what is cut short. */
  readonly before: (home: TestedHome, items: readonly RunItem[]) => Promise<unknown>;
  readonly act: (driver: TestedHome['driver'], items: readonly RunItem[]) => Promise<unknown>;
  /** Whether everything is in the home again once it is finished; otherwise an undo has to bring it there, or it is gone. */
  readonly leaves: 'all' | 'what undo brings back' | 'nothing';
}

const isSession = ({ item }: RunItem) => item.kind === 'session';
const plain = async (made: HermesTemplate) => copyHermes(made);
const removed = (home: TestedHome) => removals(home);
const archived = (home: TestedHome) => itemsFor(home, ['trunk'], 'archive');
const discard = (home: TestedHome, items: readonly RunItem[]) => home.driver.discard(RUN, items);

const ACTS: readonly Act[] = [
  {
    name: 'a discard',
    least: 15,
    copy: plain,
    items: removed,
    before: async () => undefined,
    act: (driver, items) => driver.discard(RUN, items),
    leaves: 'what undo brings back',
  },
  {
    name: 'an undo',
    least: 20,
    copy: plain,
    items: removed,
    before: discard,
    act: (driver, items) => driver.restore(RUN, items),
    leaves: 'all',
  },
  {
    name: 'a purge',
    least: 10,
    copy: plain,
    items: removed,
    before: discard,
    act: (driver, items) => driver.purge(RUN, items),
    leaves: 'nothing',
  },
  {
    name: 'an archiving',
    least: 25,
    copy: copyArchivingHermes,
    items: archived,
    before: async () => undefined,
    act: (driver, items) => driver.discard(RUN, items),
    leaves: 'what undo brings back',
  },
  {
    name: 'a return from the archive',
    least: 20,
    copy: copyArchivingHermes,
    items: archived,
    before: discard,
    act: (driver, items) => driver.restore(RUN, items),
    leaves: 'all',
  },
];

describe('whoever comes after a process that died at any of its changes', () => {
  it.each(ACTS)(
    'finishes $name',
    async ({ name, least, copy, items: itemsOf, before, act, leaves }) => {
      const made = template();
      let change = 1;
      for (let died = true; died; change += 1) {
        await using home = await copy(made);
        const whole = await home.dump();
        const items = await itemsOf(home);
        await before(home, items);
        died = await home.dieAt(change, (driver) => act(driver, items));
        const where = `${name}, died before change ${change}`;
        expect(await act(home.driver, items), where).toEqual(doneAll(items));
        expect(await home.problems(), where).toEqual([]);
        const { sessions, archives } = await home.driver.scan();
        if (leaves === 'all') expect(archives, where).toEqual([]);
        else expect(sessions.length, where).toBe(home.removable.length - items.filter(isSession).length);
        if (leaves === 'nothing') continue;
        if (leaves !== 'all') expect(await home.driver.restore(RUN, items), where).toEqual(doneAll(items));
        expect(await home.dump(), where).toEqual(whole);
      }
      // The last attempt found nothing left to die at.
      expect(change - 2).toBeGreaterThan(least);
    },
    300_000,
  );
});
