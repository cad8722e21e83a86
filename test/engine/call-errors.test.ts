import { describe, expect, it } from 'vitest';
import { countCalls, injectInto, inTwoLanes, spread } from '../support/engine-kill.ts';
import { SCENARIOS } from '../support/engine-scene.ts';
import { setStage } from '../support/engine-stage.ts';
import { tempDirInMemory } from '../support/engine-temp-dir.ts';
import { STRACE_WORKS } from '../support/strace.ts';

const TORTURE = process.env['COPPICE_TORTURE'] !== undefined;
const ERRORS = ['EIO', 'ENOSPC', 'EACCES', 'EROFS', 'EMFILE'];
const ACTS = SCENARIOS.filter(({ name }) => name !== 'apply without trash' && /^(apply|undo)/.test(name));

describe.skipIf(!STRACE_WORKS)('a system call that fails', () => {
  it.each(ACTS)(
    'is an outcome or a failure, and leaves a home that recovers, in: $name',
    async (scenario) => {
      const stage = await setStage(tempDirInMemory(), scenario);
      const counts = await countCalls(stage);
      const tries = ['rename', 'mkdir', 'fsync', 'pwrite64'].flatMap((call, at) =>
        spread(counts.get(call) ?? 0, TORTURE ? Number.POSITIVE_INFINITY : 2).flatMap((when, index) =>
          ERRORS.filter((_, error) => TORTURE || (at * 2 + index) % ERRORS.length === error).map((error) => ({
            call,
            when,
            what: `error=${error}`,
          })),
        ),
      );
      let noticed = 0;
      await inTwoLanes(tries, async (point) => {
        const { wrong, ends } = await injectInto(stage, [point]);
        const { code, stderr, said } = ends[0] ?? {};
        expect({ point, wrong, code, stderr }).toEqual({ point, wrong: [], code: 0, stderr: '' });
        expect(said?.failed, JSON.stringify({ point, said })).not.toBe('bug');
        if (said?.failed !== undefined || (said?.skipped ?? 0) > 0) noticed += 1;
      });
      // Some errors are got over, such as one of a folder that cannot be synced. A harness that injects nothing proves nothing.
      expect(noticed).toBeGreaterThan(tries.length / 4);
    },
    3_600_000,
  );
});
