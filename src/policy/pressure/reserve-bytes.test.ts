import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type ReserveFacts, reserveBytes } from './reserve-bytes.ts';

const MIB = 1024 * 1024;
const EMPTY: ReserveFacts = {
  databaseBytes: 0,
  maxBytes: 32 * MIB,
  presentBytes: 0,
  releasedBytes: 0,
  freeBytes: 1000 * MIB,
};

it.each([
  ['a small home', { databaseBytes: 3 * MIB }, 4],
  ['a home of 80 MiB', { databaseBytes: 80 * MIB }, 10],
  ['a large home', { databaseBytes: 5000 * MIB }, 32],
  ['a home whose settings allow less', { databaseBytes: 80 * MIB, maxBytes: 2 * MIB }, 2],
  ['a home whose settings allow none', { presentBytes: 32 * MIB, maxBytes: 0 }, 0],
  ['a small home on a small disk', { freeBytes: 16 * MIB }, 4],
  ['a disk with too little left', { freeBytes: 15 * MIB }, 0],
  ['a reserve that was given up a moment ago', { releasedBytes: 4 * MIB, freeBytes: 6 * MIB }, 4],
  ['one that was given up, most of which is used', { releasedBytes: 4 * MIB, freeBytes: 2.5 * MIB }, 2],
  ['a home that shrank much', { presentBytes: 32 * MIB, databaseBytes: 3 * MIB }, 4],
  ['a home that shrank a little', { presentBytes: 10 * MIB, databaseBytes: 70 * MIB }, 10],
  ['a home that grew', { presentBytes: 4 * MIB, databaseBytes: 80 * MIB }, 10],
  ['a home that grew on a full disk', { presentBytes: 4 * MIB, databaseBytes: 80 * MIB, freeBytes: 0 }, 4],
])('is in proportion: %s', (_, facts, megabytes) => {
  expect(reserveBytes({ ...EMPTY, ...facts })).toBe(megabytes * MIB);
});

const anyBytes = fc.integer({ min: 0, max: 200 * MIB });

it('is never what fills the disk, and never more than the settings say', () => {
  fc.assert(
    fc.property(anyBytes, anyBytes, anyBytes, anyBytes, anyBytes, (database, max, present, released, free) => {
      const facts = { databaseBytes: database, maxBytes: max, presentBytes: present, releasedBytes: released };
      const bytes = reserveBytes({ ...facts, freeBytes: free });
      expect(bytes - present).toBeLessThanOrEqual(free);
      if (bytes > present) expect(bytes).toBeLessThanOrEqual(max);
      // Laid in once, it stays as it is.
      const after = { ...facts, presentBytes: bytes, releasedBytes: 0, freeBytes: free + present - bytes };
      if (bytes > 0) expect(reserveBytes(after)).toBe(bytes);
    }),
  );
});
