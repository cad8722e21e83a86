import { describe, expect, it } from 'vitest';
import { campaignSize, SEED, spread, TORTURE } from '../support/campaign.ts';
import { countCalls, injectInto, inTwoLanes } from '../support/engine-kill.ts';
import { SCENARIOS } from '../support/engine-scene.ts';
import { setStage } from '../support/engine-stage.ts';
import { tempDirInMemory } from '../support/engine-temp-dir.ts';
import { STRACE_WORKS } from '../support/strace.ts';

const POINTS_PER_CALL = campaignSize({ usual: 1, torture: 4 });
const ERRORS = ['EIO', 'ENOSPC', 'EACCES', 'EROFS', 'EMFILE'];
const FAILING_CALLS = ['rename', 'mkdir', 'fsync', 'pwrite64', 'unlink', 'rmdir'];
const ACTS = SCENARIOS.filter(({ name }) => name !== 'apply without trash').map((scenario, turn) => ({
  scenario,
  turn,
}));

describe.skipIf(!STRACE_WORKS)(`a system call that fails, with seed ${SEED}`, () => {
  it.each(ACTS)(
    'is an outcome or a failure, and leaves a home that recovers, in: $scenario.name',
    async ({ scenario, turn }) => {
      const stage = await setStage(tempDirInMemory(), scenario);
      const tries = triesOf(await countCalls(stage), turn);
      let noticed = 0;
      await inTwoLanes(tries, async (point) => {
        const { wrong, ends } = await injectInto(stage, [point]);
        const { code, stderr, said } = ends[0] ?? {};
        expect({ point, wrong, code, stderr }).toEqual({ point, wrong: [], code: 0, stderr: '' });
        expect(said?.failed, JSON.stringify({ point, said })).not.toBe('bug');
        if (said?.failed !== undefined || (said?.skipped ?? 0) > 0) noticed += 1;
      });
      // Some errors are got over, such as that of an empty folder which stays. A harness that injects nothing proves nothing.
      expect(noticed).toBeGreaterThan(0);
    },
    3_600_000,
  );
});

/** Every error at calls of every sort; in a short run one call of each sort, and over the acts each error at each sort. */
function triesOf(counts: ReadonlyMap<string, number>, turn: number) {
  return FAILING_CALLS.flatMap((call, sort) =>
    spread(counts.get(call) ?? 0, POINTS_PER_CALL).flatMap((when) =>
      ERRORS.filter((_, error) => TORTURE || (turn + sort) % ERRORS.length === error).map((error) => ({
        call,
        when,
        what: `error=${error}`,
      })),
    ),
  );
}
