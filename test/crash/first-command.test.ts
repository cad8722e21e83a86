import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../src/core/time.ts';
import { TORTURE } from '../support/campaign.ts';
import { buildHermes, buildNative, HERMES, NATIVE } from '../support/crashed-homes.ts';
import { tempDirInMemory } from '../support/engine-temp-dir.ts';
import { FIRSTS, type First, wrap } from '../support/first-answers.ts';
import { CUT_SHORT, copyHome, cutShort, EARLY, hasBegun, mustSay } from '../support/first-commands.ts';

/** How many words a person tries after a command died. */
const TRIED = TORTURE ? FIRSTS.length : 2;

// A command dies before changes that are so far apart: in a home of Coppice it makes about 15, in one of Hermes many more.
describe.each([
  { kind: NATIVE, name: 'a home of Coppice', build: buildNative, stride: 7 },
  { kind: HERMES, name: 'a home of Hermes', build: buildHermes, stride: 23 },
])('whatever is typed first after a command died in $name', ({ kind, build, stride }) => {
  it.each(CUT_SHORT)(
    'is answered as if it had not died: $name',
    async (act) => {
      const directory = tempDirInMemory();
      const start = await build(join(directory, 'start'));
      await mustSay({ ...kind, now: kind.now - HOUR_MS }, start, ['sessions', 'delete', EARLY, '--yes']);
      const whole = kind.dump(start);
      for (const line of act.before ?? []) await mustSay({ ...kind, now: kind.now - MINUTE_MS }, start, line);
      let deaths = 0;
      for (let number = 1, died = true; died; number += TORTURE ? 1 : stride) {
        const dead = copyHome(start, join(directory, 'dead'));
        died = await cutShort(kind, dead, { line: act.line, number });
        deaths += died ? 1 : 0;
        const begun = hasBegun(kind, dead, act);
        for (const first of firstsAt(deaths)) {
          const home = copyHome(dead, join(directory, 'tried'));
          const scene = { kind, home, act, begun, whole };
          await wrap(`died before change ${number}, then: ${first.name}`, () => first.check(scene));
        }
      }
      expect(deaths).toBeGreaterThan(1);
    },
    3_600_000,
  );
});

/** All of them in a long run; a few in turn otherwise. */
function firstsAt(turn: number): readonly First[] {
  const from = (turn * TRIED) % FIRSTS.length;
  return [...FIRSTS, ...FIRSTS].slice(from, from + TRIED).slice(0, FIRSTS.length);
}
