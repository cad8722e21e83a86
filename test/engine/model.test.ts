import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { campaignSize } from '../support/campaign.ts';
import { EngineWalk } from '../support/engine-model.ts';
import { tempDirInMemory } from '../support/engine-temp-dir.ts';

const WALKS = campaignSize({ usual: 100, torture: 5000 });
/** The walks go by their numbers, so one that went wrong is walked again with `COPPICE_SEED`. */
const FIRST = Number(process.env['COPPICE_SEED'] ?? 1);
const STEPS = 40;

describe('a home that lives through anything', () => {
  it(`is what a plain memory of it says, in ${WALKS} walks of ${STEPS} steps from number ${FIRST}`, async () => {
    const directory = tempDirInMemory();
    for (let seed = FIRST; seed < FIRST + WALKS; seed += 1) {
      const walk = new EngineWalk(join(directory, String(seed)), seed);
      const wrong = await walk.run(STEPS);
      expect(wrong, `seed ${seed}: ${walk.log.join(', ')}`).toEqual([]);
    }
  }, 3_600_000);
});
