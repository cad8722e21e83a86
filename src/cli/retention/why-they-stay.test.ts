import { describe, expect, it } from 'vitest';
import type { Decision, KeepReason } from '../../core/retention/plan.ts';
import { whyTheyStay } from './why-they-stay.ts';

const kept = (reason: KeepReason, kind: 'checkpoint' | 'session' = 'checkpoint'): Decision => ({
  item: { kind, id: 'id' },
  sizeBytes: 1,
  action: 'keep',
  reason,
});

const request = { kind: 'checkpoints', keepOrphans: false } as const;

describe('why checkpoints stay', () => {
  it('counts the reasons, the most frequent first, and says what can be done', () => {
    const decisions = [kept('young'), kept('pinned'), kept('pinned')];
    const toDo = expect.stringContaining('Run this again then.') as string;
    expect(whyTheyStay({ decisions, request }, { unseen: true })).toEqual([
      '3 checkpoints stay: pinned (2), too young (1).',
      toDo,
    ]);
    expect(whyTheyStay({ decisions, request }, { unseen: false })).toEqual([toDo]);
  });

  it('has nothing to say about what nobody asked for', () => {
    const decisions = [kept('not-selected'), kept('pinned', 'session')];
    expect(whyTheyStay({ decisions, request }, { unseen: true })).toEqual([]);
  });
});
