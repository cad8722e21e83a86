import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type FaultPoint, Faults } from './engine-faults.ts';
import { type EngineHome, openEngineHome } from './engine-home.ts';
import { clockOf, copyScene } from './engine-scene.ts';
import type { Stage } from './engine-stage.ts';
import { recoverAndCheck } from './recover-and-check.ts';

/** Acts on a copy of the scene, dies at the point, dies once more in recovery if told so, and checks what is left. */
export async function actAndDie(
  { scenario, directory, start, baseline, allowed, sound }: Stage,
  points: readonly FaultPoint[],
) {
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
      wrong: await recoverAndCheck(scene, { baseline, plans: allowed, clock, onlyDeaths: true }, sound),
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
