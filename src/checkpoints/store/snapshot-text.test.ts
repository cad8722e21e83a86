import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readSnapshotText, type SnapshotFacts, snapshotText } from './snapshot-text.ts';

const facts: fc.Arbitrary<SnapshotFacts> = fc.record(
  {
    projectId: fc.string(),
    workdir: fc.string({ unit: 'binary' }),
    takenAt: fc.nat(),
    reason: fc.string({ unit: 'binary' }),
    kind: fc.constantFrom('taken' as const, 'safety' as const),
    sessionId: fc.string({ unit: 'binary' }),
    turn: fc.nat(),
    seq: fc.nat(),
    fileCount: fc.nat(),
    leftOutCount: fc.nat(),
  },
  {
    requiredKeys: ['projectId', 'workdir', 'takenAt', 'reason', 'kind', 'fileCount', 'leftOutCount'],
    noNullPrototype: true,
  },
);

const ONE: SnapshotFacts = {
  projectId: 'p',
  workdir: '/w',
  takenAt: 1,
  reason: 'before the edit',
  kind: 'taken',
  fileCount: 2,
  leftOutCount: 0,
};

describe('snapshotText', () => {
  it('says everything that reading it gives back, whatever the reason holds', () => {
    fc.assert(
      fc.property(facts, (given) => {
        expect(readSnapshotText(snapshotText(given))).toEqual(given);
      }),
    );
  });

  it('begins with the reason in one short line, for whoever looks with git', () => {
    const [first, second] = snapshotText({ ...ONE, reason: `two\nlines ${'x'.repeat(200)}` }).split('\n');
    expect(first).toMatch(/^two lines x+$/);
    expect(first).toHaveLength(100);
    expect(second).toBe('');
  });

  it('holds no NUL, which a commit cannot', () => {
    expect(snapshotText({ ...ONE, reason: 'a\0b' })).not.toContain('\0');
  });
});

describe('readSnapshotText', () => {
  it('does not take another text for a checkpoint', () => {
    for (const text of [
      '',
      'fix: a bug\n',
      'x\n\n{"version":1}\n',
      'x\n\nnull\n',
      snapshotText(ONE).replace(':1', ':2'),
    ])
      expect(readSnapshotText(text), text).toBeUndefined();
  });
});
