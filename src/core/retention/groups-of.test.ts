import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { groupsOf } from './groups-of.ts';

const MEBIBYTE = 1024 * 1024;
const of = (...mebibytes: readonly number[]) => mebibytes.map((size) => ({ sizeBytes: size * MEBIBYTE }));

describe('groupsOf', () => {
  it('makes no group of nothing', () => {
    expect(groupsOf([])).toEqual([]);
  });

  it('puts at most 500 items into a group, and leaves a larger one than all of them may be to itself', () => {
    expect(groupsOf(Array.from({ length: 1001 }, () => ({ sizeBytes: 0 }))).map(({ length }) => length)).toEqual([
      500, 500, 1,
    ]);
    expect(groupsOf(of(1, 300, 1, 62, 1, 1))).toEqual([of(1), of(300), of(1, 62, 1), of(1)]);
  });

  it('keeps every item, in order, and no group is empty', () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 100 }), { maxLength: 1500 });
    fc.assert(
      fc.property(sizes, (mebibytes) => {
        const groups = groupsOf(of(...mebibytes));
        expect(groups.flat()).toEqual(of(...mebibytes));
        expect(groups.every(({ length }) => length > 0 && length <= 500)).toBe(true);
      }),
    );
  });
});
