import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { uuidV7 } from './uuid-v7.ts';

describe('uuidV7', () => {
  it('has the form, version and variant of RFC 9562 at any time', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 48 - 1 }), (now) => {
        expect(uuidV7(now)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      }),
    );
  });

  it('begins with the time, so that later ids sort later', () => {
    // The example of RFC 9562, appendix A.6.
    expect(uuidV7(0x017f22e279b0).slice(0, 13)).toBe('017f22e2-79b0');
    expect(uuidV7(1_000_000) < uuidV7(1_000_001)).toBe(true);
  });

  it('is different every time', () => {
    expect(new Set(Array.from({ length: 10_000 }, () => uuidV7(1))).size).toBe(10_000);
  });
});
