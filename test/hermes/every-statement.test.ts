import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Failure } from '../../src/core/failure.ts';
import type { ItemOutcome, RunItem } from '../../src/core/retention/run.ts';
import { doneAll, RUN, removals, type TestedHome } from '../../src/homes/tested-home.conformance.ts';
import { errorCode } from '../../src/platform/error-code.ts';
import { TORTURE } from '../support/campaign.ts';
import { tempDirInMemory } from '../support/engine-temp-dir.ts';
import { refuseAtStatement } from '../support/hermes-faults.ts';
import { addPrompts, buildHermesHome, hermesSql } from '../support/hermes-home.ts';
import { copyHermes, type HermesTemplate } from '../support/hermes-tested-home.ts';

/** A parent and its child, copies that a trigger numbers, rows in other tables, and a session that goes in more than one step. */
function template(): HermesTemplate {
  const path = join(tempDirInMemory(), 'template');
  const long = { role: 'assistant', content: 'word '.repeat(8000) };
  buildHermesHome(path, {
    schema: 30,
    sessions: [
      { id: 'trunk', messages: ['hello', 'x', 'hello'], files: ['dump'] },
      { id: 'twig', parent: 'trunk', messages: ['hello'], modelConfig: { _branched_from: 'trunk' } },
      { id: 'long', messages: [long, long, long], files: ['dump'] },
    ],
  });
  addPrompts(path, { 'One prompt': ['trunk', 'long'] });
  hermesSql(path, `INSERT INTO session_model_usage (session_id, model) VALUES ('trunk', 'm'), ('long', 'm')`);
  return { path, removable: ['twig', 'trunk', 'long'], held: [], words: ['hello', 'word'] };
}

/** What lasts, what means damage, and what passes. */
const CODES = [
  'SQLITE_CONSTRAINT_TRIGGER',
  'SQLITE_CONSTRAINT_FOREIGNKEY',
  'SQLITE_CORRUPT',
  'SQLITE_ERROR',
  'SQLITE_FULL',
];
/** All of them in a long run; in every run each at some of the places, and not at the same ones. */
const stride = (at: number) => (TORTURE ? 1 : at === 0 ? 8 : 25);

interface Tried {
  readonly reached: boolean;
  readonly outcomes: readonly ItemOutcome[] | Failure;
}

async function tryAt(number: number, code: string, act: () => Promise<readonly ItemOutcome[]>): Promise<Tried> {
  let outcomes: readonly ItemOutcome[] | Failure = [];
  const reached = await refuseAtStatement({ number, code }, async () => {
    try {
      outcomes = await act();
    } catch (error) {
      if (!(error instanceof Failure) && errorCode(error) !== 'SQLITE_FULL') throw error;
      outcomes = new Failure('failed', String(error));
    }
  });
  return { reached, outcomes };
}

/** What the journal would say: items in the home, in the trash, or on their way. */
function settled(
  items: readonly RunItem[],
  outcomes: readonly ItemOutcome[],
  status: ItemOutcome['status'],
): RunItem[] {
  return items.filter(({ number }) => outcomes.some((one) => one.number === number && one.status === status));
}

describe('a statement or a trigger that fails while sessions go', () => {
  it.each(CODES.map((code, at) => [code, at] as const))(
    'leaves each where it was or in the trash, with its way back (%s)',
    async (code, at) => {
      const made = template();
      let number = TORTURE ? 1 : 1 + at;
      for (let reached = true; reached; number += stride(at)) {
        await using home = copyHermes(made);
        const where = `${code} at ${number}`;
        const whole = await home.dump();
        const items = await removals(home);
        const tried = await tryAt(number, code, () => home.driver.discard(RUN, items));
        ({ reached } = tried);
        // What does not pass must be an answer: a run that is stopped by it would be stopped again by every later one.
        if (code !== 'SQLITE_FULL') expect(tried.outcomes, where).not.toBeInstanceOf(Failure);
        if (code === 'SQLITE_CORRUPT') expectStopped(items, tried.outcomes, where);
        await bringBack(home, items, tried.outcomes, where);
        expect(await home.dump(), where).toEqual(whole);
        expect(await home.problems(), where).toEqual([]);
      }
      expect(number).toBeGreaterThan(15);
    },
    300_000,
  );

  it('takes none of several that go together once a page is found damaged', async () => {
    const path = join(tempDirInMemory(), 'template');
    const ids = ['one', 'two', 'three'];
    buildHermesHome(path, { sessions: ids.map((id) => ({ id, messages: ['hello'] })) });
    let took: readonly RunItem[] = [];
    // What is met while an index is merged is met again by the step that matters.
    for (let number = 1, reached = true, stopped = false; !stopped; number += 1) {
      expect(reached, 'some statement stops it').toBe(true);
      await using home = copyHermes({ path, removable: ids, held: [], words: [] });
      const items = await removals(home);
      const tried = await tryAt(number, 'SQLITE_CORRUPT', () => home.driver.discard(RUN, items));
      ({ reached } = tried);
      took = tried.outcomes instanceof Failure ? items : settled(items, tried.outcomes, 'done');
      stopped = took.length < items.length;
    }
    expect(took).toEqual([]);
  });
});

/** Once a page was found damaged, no later session goes. */
function expectStopped(items: readonly RunItem[], outcomes: readonly ItemOutcome[] | Failure, where: string): void {
  if (outcomes instanceof Failure) return;
  const damaged = items.findIndex(({ number }) =>
    outcomes.some((one) => one.number === number && one.status !== 'done' && one.detail.includes('is damaged')),
  );
  const later = damaged === -1 ? [] : items.slice(damaged);
  expect(settled(later, outcomes, 'done'), where).toEqual([]);
}

async function bringBack(
  home: TestedHome,
  items: readonly RunItem[],
  outcomes: readonly ItemOutcome[] | Failure,
  where: string,
): Promise<void> {
  const there = new Set((await home.driver.scan()).sessions.map(({ id }) => id));
  let trashed: readonly RunItem[];
  if (outcomes instanceof Failure) {
    // Recovery carries out what was intended.
    expect(await home.driver.discard(RUN, items), where).toEqual(doneAll(items));
    trashed = items;
  } else {
    for (const { item } of settled(items, outcomes, 'skipped'))
      if (item.kind === 'session') expect(there.has(item.id), `${where}: ${item.id}`).toBe(true);
    const stuck = settled(items, outcomes, 'unfinished');
    if (stuck.length > 0) expect(await home.driver.discard(RUN, stuck), where).toEqual(doneAll(stuck));
    trashed = [...settled(items, outcomes, 'done'), ...stuck];
  }
  expect(await home.driver.restore(RUN, trashed), where).toEqual(doneAll(trashed));
}

describe('a statement or a trigger that fails while sessions come back', () => {
  it.each(CODES.map((code, at) => [code, at] as const))(
    'leaves each in the trash or on its way, and the next undo brings all (%s)',
    async (code, at) => {
      const made = template();
      let number = TORTURE ? 1 : 1 + at;
      for (let reached = true; reached; number += stride(at)) {
        await using home = copyHermes(made);
        const where = `${code} at ${number}`;
        const whole = await home.dump();
        const items = await removals(home);
        await home.driver.discard(RUN, items);
        const tried = await tryAt(number, code, () => home.driver.restore(RUN, items));
        ({ reached } = tried);
        if (code !== 'SQLITE_FULL') expect(tried.outcomes, where).not.toBeInstanceOf(Failure);
        const { outcomes } = tried;
        // What is back in part has its files: Hermes may see it.
        for (const { item } of outcomes instanceof Failure ? [] : settled(items, outcomes, 'unfinished'))
          expect(readdirSync(join(home.home, 'sessions')).join(), where).toContain(`request_dump_${item.id}`);
        const left =
          outcomes instanceof Failure ? items : items.filter((item) => !settled([item], outcomes, 'done').length);
        expect(await home.driver.restore(RUN, left), where).toEqual(doneAll(left));
        expect(await home.dump(), where).toEqual(whole);
        expect(await home.problems(), where).toEqual([]);
      }
      expect(number).toBeGreaterThan(15);
    },
    300_000,
  );
});
