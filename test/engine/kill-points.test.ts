import { describe, expect, it } from 'vitest';
import { campaignSize, SEED, spread, TORTURE } from '../support/campaign.ts';
import { CALLS, countCalls, injectInto, inTwoLanes } from '../support/engine-kill.ts';
import { SCENARIOS } from '../support/engine-scene.ts';
import { setStage } from '../support/engine-stage.ts';
import { tempDirInMemory } from '../support/engine-temp-dir.ts';
import { STRACE_WORKS } from '../support/strace.ts';

const POINTS_PER_CALL = campaignSize({ usual: 2, torture: Number.POSITIVE_INFINITY });
const ACTS = SCENARIOS.filter(({ name }) => name !== 'apply without trash');

describe.skipIf(!STRACE_WORKS)(`a process that is killed at a system call, with seed ${SEED}`, () => {
  it.each(ACTS)(
    'leaves a home that recovers, in: $name',
    async (scenario) => {
      const stage = await setStage(tempDirInMemory(), scenario);
      const counts = await countCalls(stage);
      const points = CALLS.flatMap((call) =>
        spread(counts.get(call) ?? 0, POINTS_PER_CALL).map((when) => ({ call, when, what: 'signal=SIGKILL' })),
      );
      expect(points.length).toBeGreaterThan(4);
      const reached = new Set<number>();
      await inTwoLanes([...points.entries()], async ([index, point]) => {
        // Every fourth time the next process dies as well, while it recovers.
        const again = TORTURE || index % 4 === 0 ? [{ ...point, when: 1 + (index % 4) }] : [];
        const { wrong, ends } = await injectInto(stage, [point, ...again]);
        expect({ point, again, wrong }).toEqual({ point, again, wrong: [] });
        if (ends[0]?.signal === 'SIGKILL') reached.add(index);
      });
      // A harness that kills nothing proves nothing.
      expect(points.filter((_, index) => !reached.has(index))).toEqual([]);
    },
    3_600_000,
  );
});
