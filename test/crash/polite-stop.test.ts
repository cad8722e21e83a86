import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../src/core/time.ts';
import { campaignSize, SEED, spread, TORTURE } from '../support/campaign.ts';
import { buildNative, NATIVE } from '../support/crashed-homes.ts';
import { inTwoLanes } from '../support/engine-kill.ts';
import { tempDirInMemory } from '../support/engine-temp-dir.ts';
import { FIRSTS, wrap } from '../support/first-answers.ts';
import { type CrashedKind, CUT_SHORT, copyHome, EARLY, hasBegun, itemsIn, mustSay } from '../support/first-commands.ts';
import { momentsOf, signalAt } from '../support/kill-program.ts';
import { unknownFiles } from '../support/known-files.ts';
import { STRACE_WORKS } from '../support/strace.ts';

const STOPPED: CrashedKind = {
  ...NATIVE,
  get now() {
    return Date.now();
  },
  unknown: unknownFiles,
};
const before = (ms: number): CrashedKind => ({ ...STOPPED, now: Date.now() - ms });
const MOMENTS = campaignSize({ usual: 1, torture: 40 });
const SIGNALS = ['SIGTERM', 'SIGHUP'] as const;
const TRIED = TORTURE ? FIRSTS.length : 3;

describe.skipIf(!STRACE_WORKS)(`a command that is told to stop, with seed ${SEED}`, () => {
  it.each(CUT_SHORT)(
    'ends what it was at, and whatever is typed next is answered right: $name',
    async (act) => {
      const directory = tempDirInMemory();
      const start = await buildNative(join(directory, 'start'), Date.now());
      await mustSay(before(HOUR_MS), start, ['sessions', 'delete', EARLY, '--yes']);
      const whole = STOPPED.dump(start);
      for (const line of act.before ?? []) await mustSay(before(MINUTE_MS), start, line);
      const moments = await momentsOf(copyHome(start, join(directory, 'counted')), act.line);
      const chosen = spread(moments.length, MOMENTS).map((number) => moments[number - 1]);
      let told = 0;
      await inTwoLanes([...chosen.entries()], async ([index, moment]) => {
        if (moment === undefined) return;
        const signal = SIGNALS[(index + moment.when) % 2] ?? 'SIGTERM';
        const stopped = copyHome(start, join(directory, `stopped-${index}`));
        const where = `${signal} at ${moment.call} ${moment.when}`;
        const { status, reached, stderr } = await signalAt(stopped, act.line, { ...moment, signal });
        told += reached ? 1 : 0;
        // It ends by itself: nothing is left for the next command, and nothing that nobody knows.
        expect([0, 130], `${where}: ${stderr}`).toContain(status);
        expect({ where, items: itemsIn(STOPPED, stopped, ['intended', 'undoing', 'purging']) }).toEqual({
          where,
          items: [],
        });
        expect({ where, files: unknownFiles(stopped) }).toEqual({ where, files: [] });
        const begun = hasBegun(STOPPED, stopped, act);
        for (const first of [...FIRSTS, ...FIRSTS].slice((index * TRIED) % FIRSTS.length).slice(0, TRIED)) {
          const home = copyHome(stopped, join(directory, `tried-${index}`));
          await wrap(`${where}, then: ${first.name}`, () => first.check({ kind: STOPPED, home, act, begun, whole }));
        }
      });
      // A harness that stops nothing proves nothing.
      expect(told).toBe(chosen.length);
    },
    3_600_000,
  );
});
