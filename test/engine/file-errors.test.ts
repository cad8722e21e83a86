import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Failure } from '../../src/core/failure.ts';
import type { Plan } from '../../src/core/retention/plan.ts';
import { TORTURE } from '../support/campaign.ts';
import { type FaultPoint, Faults } from '../support/engine-faults.ts';
import { openEngineHome } from '../support/engine-home.ts';
import { clockOf, copyScene, SCENARIOS, type Scenario } from '../support/engine-scene.ts';
import { type Stage, setStage } from '../support/engine-stage.ts';
import { tempDirInMemory } from '../support/engine-temp-dir.ts';
import { recoverAndCheck } from '../support/recover-and-check.ts';

const ERRORS = ['EIO', 'ENOSPC', 'EACCES', 'EROFS', 'EMFILE'];
/** How far apart the calls are that fail in a short run. */
const STRIDE = TORTURE ? 1 : 7;

describe('a change that the disk refuses', () => {
  it.each(SCENARIOS)(
    'is an outcome or a failure, and leaves a home that recovers, in: $name',
    async (scenario) => {
      const stage = await setStage(tempDirInMemory(), scenario);
      const { count } = await actWith(stage, undefined);
      for (let number = 1; number <= count; number += STRIDE) {
        for (const error of ERRORS.filter((_, index) => TORTURE || index === number % ERRORS.length)) {
          const { wrong } = await actWith(stage, { number, when: 'before', error });
          expect({ number, error, wrong }).toEqual({ number, error, wrong: [] });
        }
      }
    },
    3_600_000,
  );
});

it('says of a session that is archived and whose files cannot be removed that it is, and removes them later', async () => {
  const said = new Set<string | undefined>();
  const archive = SCENARIOS.find(({ name }) => name === 'apply an archive') ?? expect.fail();
  const act: Scenario['act'] = (at, plan) =>
    at.retention.apply(plan as Plan, { onOutcome: ({ detail }) => said.add(detail) });
  const stage = await setStage(tempDirInMemory(), { ...archive, act });
  const { count } = await actWith(stage, undefined);
  const sentence = `It is archived, but its files could not be removed. The file system refused it: EACCES. The next run tries again.`;
  // They are removed towards the end.
  for (let number = count; number > 0 && !said.has(sentence); number -= 1) {
    const { wrong } = await actWith(stage, { number, when: 'before', error: 'EACCES' });
    expect({ number, wrong }).toEqual({ number, wrong: [] });
  }
  expect([...said]).toEqual([undefined, sentence]);
});

async function actWith({ scenario, directory, start, baseline, allowed, sound }: Stage, point: FaultPoint | undefined) {
  const scene = join(directory, 'scene');
  const clock = clockOf(scenario);
  const path = copyScene(start, scene);
  const faults = new Faults(path, point);
  try {
    await using at = await openEngineHome(path, { clock, wrap: (store) => faults.wrap(store) });
    const plan = await scenario.plan?.(at);
    await faults.during(() => scenario.act(at, plan).catch(failuresOnly));
    return { count: faults.count, wrong: await recoverAndCheck(scene, { baseline, plans: allowed, clock }, sound) };
  } finally {
    rmSync(scene, { recursive: true, force: true });
  }
}

/** Anything else would be a bug shown to a person. */
function failuresOnly(error: unknown): void {
  if (!(error instanceof Failure)) throw error;
}
