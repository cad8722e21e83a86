import { describe, expect, it } from 'vitest';
import { nestedDeeper } from './nested-deeper.ts';

describe('nestedDeeper', () => {
  it.each([
    ['text', 0, false],
    [[], 0, true],
    [[], 1, false],
    [{ a: [1, { b: null }] }, 2, true],
    [{ a: [1, { b: null }] }, 3, false],
  ])('says of %j and %i levels: %s', (value, levels, expected) => {
    expect(nestedDeeper(value, levels)).toBe(expected);
  });

  it('needs no stack', () => {
    expect(nestedDeeper(JSON.parse('['.repeat(200_000) + ']'.repeat(200_000)), 1000)).toBe(true);
  });
});
