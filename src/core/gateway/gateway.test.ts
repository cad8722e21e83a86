import { describe, expect, it } from 'vitest';
import { END_REASONS, endedByAccident } from '../sessions/end-reasons.ts';

describe('endedByAccident', () => {
  it.each(Object.entries(END_REASONS))('knows that %s is an end by %s', (reason, kind) => {
    expect(endedByAccident(reason)).toBe(kind === 'accident');
    expect(endedByAccident(`${reason}: with more words`)).toBe(kind === 'accident');
  });

  it('takes every other reason, and none at all, for an end on purpose', () => {
    for (const reason of ['done', 'ended by hand', 'crashed', 'constructor', '', undefined]) {
      expect(endedByAccident(reason)).toBe(false);
    }
  });
});
