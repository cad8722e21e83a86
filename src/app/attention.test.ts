import { describe, expect, it } from 'vitest';
import { NOW } from '../../test/support/clock.ts';
import { DAY_MS } from '../core/time.ts';
import { type AttentionFacts, attentionOf } from './attention.ts';

const GB = 1024 ** 3;
const NOTHING = { items: 0, sizeBytes: 0 };
const WELL: AttentionFacts = {
  disk: { usedBytes: GB, freeBytes: 100 * GB },
  shortfalls: [],
  problems: [],
  notes: [],
  oversized: [],
  classes: [{ reclaimable: NOTHING }],
};
const kindsOf = (facts: Partial<AttentionFacts>, minFreeBytes?: number) =>
  attentionOf({ ...WELL, ...facts }, { minFreeBytes }).map(({ kind }) => kind);

describe('what needs a person', () => {
  it('is nothing when all is well', () => {
    expect(kindsOf({})).toEqual([]);
    expect(kindsOf({ disk: { usedBytes: GB, freeBytes: GB, maxBytes: 2 * GB } }, GB)).toEqual([]);
  });

  it('is what cannot wait first, and what passes by itself last', () => {
    const facts = {
      disk: { usedBytes: 95, freeBytes: 5, maxBytes: 100 },
      shortfalls: [{ bytes: 10, heldBytes: { pinned: 10 } }],
      problems: [{ kind: 'x', subject: 'y', message: 'Something is damaged.' }],
      notes: ['An agent is about to delete 3 sessions that the rules keep.'],
      oversized: [{}],
      waiting: { items: 2, sizeBytes: 10, reasons: [], until: NOW },
    };
    expect(kindsOf(facts, 6)).toEqual([
      'disk-short',
      'out-of-reach',
      'damaged',
      'warned',
      'nearly-full',
      'waiting',
      'oversized',
    ]);
  });

  it('is said once with how much more of it there is, and with what to type', () => {
    const problem = { kind: 'x', subject: 'y', message: 'Something is damaged.' };
    const [only] = attentionOf({ ...WELL, problems: [problem, problem, problem] }, { minFreeBytes: undefined });
    expect(only).toEqual({
      kind: 'damaged',
      says: 'Something is damaged. And 2 other problems.',
      command: 'coppice doctor',
    });
  });

  it('is what can go, where nothing removes it by itself', () => {
    const classes = [{ reclaimable: { items: 3, sizeBytes: 10 } }];
    expect(kindsOf({ classes })).toEqual(['can-go']);
    expect(kindsOf({ classes, nextMaintenanceAt: NOW + DAY_MS })).toEqual([]);
    expect(kindsOf({ heldSince: NOW })).toEqual(['held']);
  });
});
