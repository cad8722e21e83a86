import { describe, expect, it } from 'vitest';
import { TORTURE } from '../support/campaign.ts';
import { actAndDie } from '../support/engine-death.ts';
import { SCENARIOS } from '../support/engine-scene.ts';
import { setStage } from '../support/engine-stage.ts';
import { tempDirInMemory } from '../support/engine-temp-dir.ts';

/** Before a call is nearly always what after the one before is. */
const WHEN = TORTURE ? (['before', 'after'] as const) : (['after'] as const);

describe('a process that dies at any change it makes', () => {
  let deaths = 0;

  it.each(SCENARIOS)(
    'leaves a home that recovers, in: $name',
    async (scenario) => {
      const stage = await setStage(tempDirInMemory(), scenario);
      const whole = await actAndDie(stage, []);
      expect(whole.wrong).toEqual([]);
      expect(whole.count).toBeGreaterThan(5);
      for (let number = 1; number <= whole.count; number += 1) {
        for (const when of WHEN) {
          const { wrong, died } = await actAndDie(stage, [{ number, when }]);
          expect({ point: `${when} ${number}`, wrong, died }).toEqual({
            point: `${when} ${number}`,
            wrong: [],
            died: true,
          });
          deaths += 1;
        }
      }
    },
    3_600_000,
  );

  it('has died at 500 points and more by then', () => {
    expect(deaths).toBeGreaterThanOrEqual(500);
  });
});
