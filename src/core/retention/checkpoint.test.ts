import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DropCandidate, dropOrder } from './checkpoint.ts';

function candidate(id: string, projectId: string, given: Partial<DropCandidate> = {}): DropCandidate {
  return { id, projectId, takenAt: 0, pinned: false, needed: false, place: 'present', ...given };
}

const idsOf = (candidates: readonly DropCandidate[]) => dropOrder(candidates).map(({ id }) => id);

describe('dropOrder', () => {
  it('takes from projects in turn, the newest of each after all that have newer ones, and what is held last', () => {
    const order = idsOf([
      candidate('p3', 'p', { takenAt: 30 }),
      candidate('p1', 'p', { takenAt: 10 }),
      candidate('p2', 'p', { takenAt: 20 }),
      candidate('q2', 'q', { takenAt: 25 }),
      candidate('q1', 'q', { takenAt: 15 }),
      candidate('r1', 'r', { takenAt: 1, pinned: true }),
      candidate('s1', 's', { takenAt: 2, place: 'unreachable' }),
      candidate('t1', 't', { takenAt: 3, needed: true }),
    ]);
    expect(order).toEqual(['p1', 'q1', 'p2', 'q2', 'p3', 'r1', 's1', 't1']);
  });

  it('is the same whatever order they come in, loses none, and keeps each project in order', () => {
    const anyCandidates = fc
      .array(fc.record({ projectId: fc.constantFrom('p', 'q'), takenAt: fc.nat(9), pinned: fc.boolean() }))
      .map((given) => given.map((one, index) => candidate(`c${index}`, one.projectId, one)));
    fc.assert(
      fc.property(anyCandidates, (candidates) => {
        const ids = idsOf(candidates);
        expect(idsOf(candidates.toReversed())).toEqual(ids);
        expect(ids.toSorted()).toEqual(candidates.map(({ id }) => id).toSorted());
        const free = dropOrder(candidates).filter(({ pinned, projectId }) => !pinned && projectId === 'p');
        expect(free).toEqual(free.toSorted((a, b) => a.takenAt - b.takenAt));
      }),
    );
  });
});
