import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLastBytes } from './last-bytes.ts';

describe('createLastBytes', () => {
  it('keeps the last bytes, however they come', () => {
    const pieces = fc.array(fc.uint8Array({ maxLength: 30 }).map((bytes) => Buffer.from(bytes)));
    fc.assert(
      fc.property(pieces, fc.integer({ min: 1, max: 20 }), (added, count) => {
        const last = createLastBytes(count);
        for (const piece of added) last.add(piece);
        expect(last.get().equals(Buffer.concat(added).subarray(-count))).toBe(true);
      }),
    );
  });
});
