import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { HomeDriver } from '../../src/core/retention/home-driver.ts';
import { createHermesDriver } from '../../src/homes/hermes/taking/hermes-driver.ts';
import { nativeLayout } from '../../src/homes/native/native-layout.ts';
import { doneAll, itemsFor, RUN } from '../../src/homes/tested-home.conformance.ts';
import { seededRandom } from '../support/crash-content.js';
import { tempDirInMemory } from '../support/engine-temp-dir.ts';
import { dumpHermes, hermesProblems } from '../support/hermes-dump.ts';
import { buildHermesHome, HERMES_NOW } from '../support/hermes-home.ts';
import { hermesCuts, recordHermes, writeHermesCut } from '../support/hermes-power.ts';

const TORTURE = process.env['COPPICE_TORTURE'] !== undefined;
const STATES = TORTURE ? Number.POSITIVE_INFINITY : 12;
const SEED = Number(process.env['COPPICE_SEED'] ?? (TORTURE ? Date.now() % 1e9 : 1));

const IDS = ['trunk', 'twig', 'long'];

function openDriver(home: string): HomeDriver {
  return createHermesDriver({
    home,
    clock: { now: () => HERMES_NOW },
    companion: nativeLayout(join(home, '.coppice')),
  });
}

const dump = (home: string) => dumpHermes(home, ['hello', 'message']);

/** With a log that is not synced at every commit. */
async function build() {
  const root = tempDirInMemory();
  const home = buildHermesHome(join(root, 'hermes'), {
    schema: 30,
    sessions: [
      { id: 'trunk', messages: ['hello', 'start'], files: ['snapshot', 'dump'] },
      { id: 'twig', parent: 'trunk', messages: ['two'], modelConfig: { _branched_from: 'trunk' } },
      { id: 'long', messages: Array.from({ length: 210 }, (_, at) => `message ${at}`), files: ['transcript'] },
      { id: 'stays', messages: ['hello'] },
    ],
  });
  const driver = openDriver(home);
  return { root, home, driver, before: dump(home), items: await itemsFor({ driver }, IDS, 'remove') };
}

it.each(['taking', 'bringing back'] as const)(
  `loses no session in a power cut while %s, with seed ${SEED}`,
  async (act) => {
    const { root, home, driver, before, items } = await build();
    if (act === 'bringing back') await driver.discard(RUN, items);
    const log = await recordHermes(home, () =>
      act === 'taking' ? driver.discard(RUN, items) : driver.restore(RUN, items),
    );
    const random = seededRandom(SEED);
    const states = hermesCuts(log, random)
      .map((state) => ({ state, at: random() }))
      .toSorted((a, b) => a.at - b.at)
      .slice(0, STATES);
    expect(log.events.filter(({ kind }) => kind === 'settled').length).toBeGreaterThan(0);
    for (const { state } of states) {
      const found = join(mkdtempSync(join(root, 'cut-')), 'hermes');
      writeHermesCut(log, state, found);
      const what = `cut after ${log.events[state.cut.after - 1]?.what}, lost ${JSON.stringify(state.lost.map((at) => log.events[at]?.what))} and ${state.lostCommits} commits`;
      const again = openDriver(found);
      // Whoever comes after finishes what was begun.
      if (act === 'taking') expect(await again.discard(RUN, items), what).toEqual(doneAll(items));
      expect(await again.restore(RUN, items), what).toEqual(doneAll(items));
      expect(dump(found), what).toEqual(before);
      expect(hermesProblems(found), what).toEqual([]);
      rmSync(join(found, '..'), { recursive: true, force: true });
    }
  },
  36_000_000,
);

it('can undo everything after a power cut that follows the last step', async () => {
  const { root, home, driver, before, items } = await build();
  const log = await recordHermes(home, () => driver.discard(RUN, items));
  const last = hermesCuts(log, seededRandom(SEED)).slice(-4);
  for (const [at, state] of last.entries()) {
    const found = join(root, `last-${at}`);
    writeHermesCut(log, state, found);
    expect(await openDriver(found).restore(RUN, items)).toEqual(doneAll(items));
    expect(dump(found)).toEqual(before);
  }
});

it('has the way into the trash on the disk before a file leaves its folder for good', async () => {
  const { home, driver, items } = await build();
  const { events } = await recordHermes(home, () => driver.discard(RUN, items));
  const moved = events.findLastIndex(({ kind, what }) => kind === 'names' && what.includes('sessions/'));
  const synced = events.flatMap(({ kind, what }, at) => (kind === 'sync' && at > moved ? [what] : []));
  const left = synced.findIndex((what) => what.endsWith(' sessions'));
  const ours = synced.flatMap((what, at) => (what.includes('trash/') ? [at] : []));
  expect(ours.length).toBeGreaterThan(0);
  expect(left).toBeGreaterThan(Math.max(...ours));
});
