import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { campaignSize, spread } from '../support/campaign.ts';
import { buildNative, NATIVE } from '../support/crashed-homes.ts';
import { tempDirInMemory } from '../support/engine-temp-dir.ts';
import { copyHome, mustSay } from '../support/first-commands.ts';
import { momentsOf, signalAt } from '../support/kill-program.ts';
import { unknownFiles } from '../support/known-files.ts';
import { STRACE_WORKS } from '../support/strace.ts';

const MOMENTS = campaignSize({ usual: 2, torture: Number.POSITIVE_INFINITY });

describe.skipIf(!STRACE_WORKS)('a doctor that is killed', () => {
  it('leaves nothing behind that the next one does not remove, and does not speak of', async () => {
    const directory = tempDirInMemory();
    const start = await buildNative(join(directory, 'start'), Date.now());
    const moments = await momentsOf(copyHome(start, join(directory, 'counted')), ['doctor']);
    let left = 0;
    for (const number of spread(moments.length, MOMENTS)) {
      const moment = moments[number - 1] ?? { call: 'mkdir', when: 1 };
      const dead = copyHome(start, mkdtempSync(join(directory, 'dead-')));
      await signalAt(dead, ['doctor'], { ...moment, signal: 'SIGKILL' });
      left += readdirSync(dead).some((name) => name.startsWith('.tmp-')) ? 1 : 0;
      const { out } = await mustSay({ ...NATIVE, now: Date.now() }, dead, ['doctor']);
      expect(out).toContain('Everything is in order.');
      expect({ moment, files: unknownFiles(dead) }).toEqual({ moment, files: [] });
      rmSync(dead, { recursive: true });
    }
    // A harness that never meets the copy proves nothing.
    expect(left).toBeGreaterThan(0);
  });
});
