import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NOW } from '../../../test/support/clock.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { DAY_MS, HOUR_MS } from '../../core/time.ts';
import { fileId } from '../project/locate-workdir.ts';
import { type Look, lookAtWorkdir, nextSighting, placeBySightings, type Sighting } from './workdir-sightings.ts';

const id = (ino: string, dev = '1') => ({ dev, ino });

const anyLook = fc.oneof(
  fc.constantFrom<Look>(
    { place: 'present', parent: id('above'), self: id('self') },
    { place: 'missing', parent: id('above') },
    { place: 'missing', parent: id('underlay', '2') },
    { place: 'unreachable' },
  ),
);

/** What passes remember after a series of looks, each some hours after the one before. */
function after(looks: readonly Look[], hours: readonly number[]): { sighting: Sighting | undefined; times: number[] } {
  let sighting: Sighting | undefined;
  let now = NOW;
  const times = looks.map((look, index) => {
    now += (hours[index] ?? 1) * HOUR_MS;
    sighting = nextSighting(sighting, look, now);
    return now;
  });
  return { sighting, times };
}

describe('what passes remember of a folder', () => {
  it('dates its absence from the first of the looks in a row that show the same directory without it', () => {
    const series = fc.array(fc.tuple(anyLook, fc.integer({ min: 1, max: 40 })), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(series, (given) => {
        const looks = given.map(([look]) => look);
        const { sighting, times } = after(
          looks,
          given.map(([, hours]) => hours),
        );
        const last = looks.at(-1);
        const missing = last?.place === 'missing' ? last.parent.ino : undefined;
        const same = (look: Look) => look.place === 'missing' && look.parent.ino === missing;
        const first = looks.findLastIndex((look) => !same(look)) + 1;
        const wasThere = looks.some(({ place }) => place === 'present');
        // Once it was seen there, another directory in the place of the one that held it proves nothing.
        const proves = missing !== undefined && !(wasThere && missing !== 'above');
        expect(sighting?.goneAt).toBe(proves ? times[first] : undefined);
      }),
      { numRuns: 500 },
    );
  });

  it('does not believe a time in the future', () => {
    const before = { parent: id('above'), goneAt: NOW + DAY_MS };
    expect(nextSighting(before, { place: 'missing', parent: id('above') }, NOW)?.goneAt).toBe(NOW);
  });
});

describe('the place of a folder, by what passes remember', () => {
  function scene() {
    const dir = tempDir();
    const above = join(dir, 'above');
    const workdir = join(above, 'project');
    mkdirSync(workdir, { recursive: true });
    writeFileSync(join(above, 'other'), '');
    const placeOf = (sighting: Sighting | undefined, now: number, facts = {}) =>
      placeBySightings({ workdir, facts, sighting, now });
    return { above, workdir, placeOf };
  }

  it('is gone after two looks a day apart where nobody ever saw it there, and at once where somebody did', () => {
    const { above, workdir, placeOf } = scene();
    const seen = nextSighting(undefined, lookAtWorkdir(workdir), NOW);
    expect(placeOf(seen, NOW)).toEqual({ place: 'present' });
    rmSync(workdir, { recursive: true });
    expect(placeOf(seen, NOW).place).toBe('gone');
    expect(placeOf(undefined, NOW).place).toBe('unreachable');
    expect(placeOf(undefined, NOW, { parent: fileId(above) })).toEqual({ place: 'gone' });
    const missed = nextSighting(undefined, lookAtWorkdir(workdir), NOW);
    expect(placeOf(missed, NOW + DAY_MS - 1).place).toBe('unreachable');
    expect(placeOf(missed, NOW + DAY_MS)).toEqual({ place: 'gone', seenGoneAt: NOW });
  });

  it('is never gone while what held it is away, empty or another one', () => {
    const { above, workdir, placeOf } = scene();
    const seen = nextSighting(undefined, lookAtWorkdir(workdir), NOW);
    renameSync(above, `${above}-away`);
    const later = NOW + 99 * DAY_MS;
    expect(placeOf(seen, later).place).toBe('unreachable');
    mkdirSync(above);
    expect(placeOf(seen, later).place).toBe('unreachable');
    writeFileSync(join(above, 'underlay'), '');
    expect(placeOf(seen, later).place).toBe('unreachable');
    const missed = nextSighting(seen, lookAtWorkdir(workdir), NOW);
    expect(placeOf(missed, later).place).toBe('unreachable');
  });

  it('is never gone where the folder was a volume of its own: its mount point may go with it', () => {
    const { above, workdir, placeOf } = scene();
    rmSync(workdir, { recursive: true });
    const self = id('1', 'another volume');
    expect(placeOf({ parent: fileId(above), self, goneAt: NOW }, NOW + 9 * DAY_MS).place).toBe('unreachable');
    expect(placeOf(undefined, NOW, { parent: fileId(above), self }).place).toBe('unreachable');
  });
});
