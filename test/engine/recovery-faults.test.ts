import { describe, expect, it } from 'vitest';
import { campaignSize } from '../support/campaign.ts';
import { actAndDie } from '../support/engine-death.ts';
import { SCENARIOS } from '../support/engine-scene.ts';
import { setStage } from '../support/engine-stage.ts';
import { tempDirInMemory } from '../support/engine-temp-dir.ts';

/** How far apart the points are at which a second death is tried, of the act and of the recovery. */
const STRIDE = Math.max(1, Math.round(12 / campaignSize({ usual: 1, torture: 4 })));

describe('a process that dies while it finishes what a dead one began', () => {
  it.each(SCENARIOS)(
    'leaves a home that recovers, in: $name',
    async (scenario) => {
      const stage = await setStage(tempDirInMemory(), scenario);
      const { count } = await actAndDie(stage, []);
      for (let number = 1; number <= count; number += STRIDE) {
        let died = true;
        for (let second = 1; died; second += STRIDE) {
          const points = [number, second].map((point) => ({ number: point, when: 'after' as const }));
          const tried = await actAndDie(stage, points);
          expect({ number, second, wrong: tried.wrong }).toEqual({ number, second, wrong: [] });
          died = tried.died;
        }
      }
    },
    7_200_000,
  );
});
