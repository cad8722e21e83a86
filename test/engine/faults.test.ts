import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { recoverAndCheck } from '../support/engine-checker.ts';
import { type FaultPoint, Faults } from '../support/engine-faults.ts';
import { type EngineHome, openEngineHome } from '../support/engine-home.ts';
import { clockOf, copyScene, SCENARIOS } from '../support/engine-scene.ts';
import { type Stage, setStage } from '../support/engine-stage.ts';
import { tempDirInMemory } from '../support/engine-temp-dir.ts';

const TORTURE = process.env['COPPICE_TORTURE'] !== undefined;
/** Before a call is nearly always what after the one before is. */
const WHEN = TORTURE ? (['before', 'after'] as const) : (['after'] as const);
/** How far apart the points are at which a second death is tried, of the act and of the recovery. */
const [ACT_STRIDE, RECOVERY_STRIDE] = TORTURE ? [1, 1] : [9, 9];

describe('a process that dies at any change it makes', () => {
  it.each(SCENARIOS)(
    'leaves a home that recovers, in: $name',
    async (scenario) => {
      const stage = await setStage(tempDirInMemory(), scenario);
      const whole = await actOn(stage, []);
      expect(whole.wrong).toEqual([]);
      expect(whole.count).toBeGreaterThan(5);
      for (let number = 1; number <= whole.count; number += 1) {
        for (const when of WHEN) {
          const { wrong, died } = await actOn(stage, [{ number, when }]);
          expect({ point: `${when} ${number}`, wrong, died }).toEqual({
            point: `${when} ${number}`,
            wrong: [],
            died: true,
          });
        }
      }
    },
    600_000,
  );

  it.each(SCENARIOS)(
    'recovers from a death in recovery, in: $name',
    async (scenario) => {
      const stage = await setStage(tempDirInMemory(), scenario);
      const { count } = await actOn(stage, []);
      for (let number = 1; number <= count; number += ACT_STRIDE) {
        let died = true;
        for (let second = 1; died; second += RECOVERY_STRIDE) {
          const points = [number, second].map((point) => ({ number: point, when: 'after' as const }));
          const tried = await actOn(stage, points);
          expect({ number, second, wrong: tried.wrong }).toEqual({ number, second, wrong: [] });
          died = tried.died;
        }
      }
    },
    600_000,
  );
});

/** Acts on a copy of the scene, dies at the point, dies once more in recovery if told so, and checks what is left. */
async function actOn({ scenario, directory, start, baseline, allowed }: Stage, points: readonly FaultPoint[]) {
  const scene = join(directory, 'scene');
  const clock = clockOf(scenario);
  const path = copyScene(start, scene);
  try {
    const [point, again] = points;
    const faults = new Faults(path, point);
    let died = await inHome(faults, async (at) => {
      const plan = await scenario.plan?.(at);
      return faults.during(() => scenario.act(at, plan));
    });
    if (again !== undefined) {
      const inRecovery = new Faults(path, again);
      died = await inHome(inRecovery, (at) => inRecovery.during(() => at.recover()));
    }
    return {
      wrong: await recoverAndCheck(scene, { baseline, plans: allowed, clock, onlyDeaths: true }),
      count: faults.count,
      died,
    };
  } finally {
    rmSync(scene, { recursive: true, force: true });
  }

  async function inHome(faults: Faults, act: (at: EngineHome) => Promise<boolean>): Promise<boolean> {
    await using at = await openEngineHome(path, { clock, wrap: (store) => faults.wrap(store) });
    return await act(at);
  }
}
