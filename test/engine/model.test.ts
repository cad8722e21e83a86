import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EngineWalk } from '../support/engine-model.ts';
import { tempDirInMemory } from '../support/engine-temp-dir.ts';

const WALKS = process.env['COPPICE_TORTURE'] === undefined ? 160 : 5000;
const STEPS = 40;

describe('a home that lives through anything', () => {
  it(`is what a plain memory of it says, in ${WALKS} walks of ${STEPS} steps`, async () => {
    const directory = tempDirInMemory();
    for (let seed = 1; seed <= WALKS; seed += 1) {
      const walk = new EngineWalk(join(directory, String(seed)), seed);
      const wrong = await walk.run(STEPS);
      expect(wrong, `seed ${seed}: ${walk.log.join(', ')}`).toEqual([]);
    }
  }, 3_600_000);
});
