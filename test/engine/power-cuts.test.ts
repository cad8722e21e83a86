import { describe, expect, it } from 'vitest';
import { campaignSize, SEED, TORTURE } from '../support/campaign.ts';
import { seededRandom } from '../support/crash-content.js';
import type { DiskLog } from '../support/disk-log.ts';
import { type CutState, cutStates, recordAct, recoverFromCut } from '../support/engine-power.ts';
import { SCENARIOS } from '../support/engine-scene.ts';
import { type Stage, setStage } from '../support/engine-stage.ts';
import { tempDirInMemory } from '../support/engine-temp-dir.ts';

/** Combinations at random for each moment, and how many of all the states of an act are tried. */
const COMBINATIONS = TORTURE ? 64 : 4;
const STATES = campaignSize({ usual: 14, torture: 400 });

describe(`a power cut at any moment, with seed ${SEED}`, () => {
  it.each(SCENARIOS)(
    'leaves a home that recovers, in: $name',
    async (scenario) => {
      const stage = await setStage(tempDirInMemory(), scenario);
      const log = await recordAct(stage);
      const random = seededRandom(SEED);
      const states = sample(cutStates(log, COMBINATIONS, random), STATES, random);
      expect(states.length).toBeGreaterThan(10);
      for (const state of states) expect(await recoverFromCut(stage, log, state)).toEqual([]);
    },
    36_000_000,
  );
});

describe('the test of power cuts', () => {
  it.each([
    ['apply the rules', 'the folder of a run in the trash', /^trash\/[^/]+$/],
    ['apply the rules', 'the trash itself', /^trash$/],
    ['apply the rules', 'the manifest of a run', /^trash\/[^/]+\/manifest\.jsonl$/],
    ['apply the rules', 'the folders that sessions leave', /^sessions\/..$/],
    ['undo the rules', 'the folders that sessions come back to', /^sessions\/..$/],
    ['empty the trash', 'the trash that a run is gone from', /^trash/],
    ['apply an archive', 'the bundle before it gets its name', /^archive\/\.tmp-/],
    ['apply an archive', 'the folder of the bundles', /^archive$/],
    ['undo an archive', 'the files that come out of a bundle', /^trash\/.*transcript\.jsonl$/],
  ])('notices, in %s, that a sync is missing: %s', async (name, _, path) => {
    const scenario = SCENARIOS.find((each) => each.name === name) ?? expect.fail(name);
    const stage = await setStage(tempDirInMemory(), scenario);
    const log = await recordAct(stage, { ignoresSync: (synced) => path.test(synced) });
    expect(await firstFound(stage, log)).not.toEqual([]);
  });
});

/** Looked for where everything that may be lost is, from the end on: there a lost sync shows first. */
async function firstFound(stage: Stage, log: DiskLog): Promise<string[]> {
  const states = cutStates(log, 0, Math.random).filter(({ cut, lost }) => lost.length === cut.loose.length);
  for (const state of states.toReversed()) {
    const wrong = await recoverFromCut(stage, log, state);
    if (wrong.length > 0) return wrong;
  }
  return [];
}

/** Half of them with everything lost that may be, which is where most can go wrong. */
function sample(states: readonly CutState[], size: number, random: () => number): readonly CutState[] {
  if (states.length <= size) return states;
  const shuffled = states.map((state) => ({ state, at: random() })).toSorted((a, b) => a.at - b.at);
  const allLost = shuffled.filter(({ state: { cut, lost } }) => lost.length > 0 && lost.length === cut.loose.length);
  return [...new Set([...allLost.slice(0, size / 2), ...shuffled])].slice(0, size).map(({ state }) => state);
}
