import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../src/core/time.ts';
import { campaignSize, SEED, spread, TORTURE } from '../support/campaign.ts';
import { buildNative, NATIVE } from '../support/crashed-homes.ts';
import { inTwoLanes } from '../support/engine-kill.ts';
import { tempDirInMemory } from '../support/engine-temp-dir.ts';
import { FIRSTS, wrap } from '../support/first-answers.ts';
import { type CrashedKind, CUT_SHORT, copyHome, EARLY, hasBegun, mustSay } from '../support/first-commands.ts';
import { momentsOf, signalAt } from '../support/kill-program.ts';
import { unknownFiles } from '../support/known-files.ts';
import { STRACE_WORKS } from '../support/strace.ts';

/** A home of Coppice at the time of the machine, which is the time of the program that is killed. */
const KILLED: CrashedKind = {
  ...NATIVE,
  get now() {
    return Date.now();
  },
  unknown: unknownFiles,
};
const before = (ms: number): CrashedKind => ({ ...KILLED, now: Date.now() - ms });
const MOMENTS = campaignSize({ usual: 2, torture: 80 });
/** How many words a person tries after each death. */
const TRIED = TORTURE ? FIRSTS.length : 5;

describe.skipIf(!STRACE_WORKS)(`whatever is typed first after the program was killed, with seed ${SEED}`, () => {
  it.each(CUT_SHORT)(
    'is answered as if it had not died, and no file is left that nobody knows: $name',
    async (act) => {
      const directory = tempDirInMemory();
      const start = await buildNative(join(directory, 'start'), Date.now());
      await mustSay(before(HOUR_MS), start, ['sessions', 'delete', EARLY, '--yes']);
      const whole = KILLED.dump(start);
      for (const line of act.before ?? []) await mustSay(before(MINUTE_MS), start, line);
      const moments = await momentsOf(copyHome(start, join(directory, 'counted')), act.line);
      const chosen = spread(moments.length, MOMENTS).map((number) => moments[number - 1]);
      let deaths = 0;
      await inTwoLanes([...chosen.entries()], async ([index, moment]) => {
        if (moment === undefined) return;
        const dead = copyHome(start, join(directory, `dead-${index}`));
        const { reached } = await signalAt(dead, act.line, { ...moment, signal: 'SIGKILL' });
        deaths += reached ? 1 : 0;
        const begun = hasBegun(KILLED, dead, act);
        for (const first of [...FIRSTS, ...FIRSTS].slice((index * TRIED) % FIRSTS.length).slice(0, TRIED)) {
          const home = copyHome(dead, join(directory, `tried-${index}`));
          const scene = { kind: KILLED, home, act, begun, whole };
          await wrap(`killed at ${moment.call} ${moment.when}, then: ${first.name}`, () => first.check(scene));
        }
      });
      // A harness that kills nothing proves nothing.
      expect(deaths).toBe(chosen.length);
    },
    3_600_000,
  );
});
