import { describe, expect, it } from 'vitest';
import type { Decision, KeepReason } from '../../core/plan.ts';
import { whyNothingWent } from './why-nothing-went.ts';

const kept = (reason: KeepReason, kind: 'checkpoint' | 'session' = 'checkpoint'): Decision => ({
  item: { kind, id: 'id' },
  sizeBytes: 1,
  action: 'keep',
  reason,
});

describe('why nothing went', () => {
  it('counts the reasons, the most frequent first, and says what can be done', () => {
    const decisions = [kept('young'), kept('pinned'), kept('pinned')];
    expect(whyNothingWent({ decisions })).toEqual([
      '3 checkpoints stay: pinned (2), too young (1).',
      expect.stringContaining('Run this again then.'),
    ]);
  });

  it('has nothing to say about what nobody asked for', () => {
    expect(whyNothingWent({ decisions: [kept('not-selected'), kept('pinned', 'session')] })).toEqual([]);
  });
});
