import assert from 'node:assert/strict';
import type { ItemOutcome, RunItem } from '../../core/retention/run.ts';

/** All of it is done. A driver may answer in whatever order it worked, and say how much became free. */
export function allDone(outcomes: readonly ItemOutcome[], items: readonly RunItem[]): void {
  const wanted = items.map(({ number }): ItemOutcome => ({ number, status: 'done' }));
  assert.deepEqual(byNumber(outcomes), byNumber(wanted));
}

/** None of it is done, each with a sentence that says why. */
export function allSkipped(outcomes: readonly ItemOutcome[], items: readonly RunItem[]): void {
  assert.deepEqual(numbersOf(outcomes), numbersOf(items));
  for (const outcome of outcomes) {
    assert.equal(outcome.status, 'skipped');
    assert.match(outcome.status === 'skipped' ? outcome.detail : '', /^[A-Z].*\.$/);
  }
}

/** At least these are among those. */
export function areAmong(some: readonly string[], all: readonly string[]): void {
  assert.deepEqual(
    some.filter((id) => !all.includes(id)),
    [],
  );
}

function byNumber(outcomes: readonly ItemOutcome[]): readonly ItemOutcome[] {
  return outcomes
    .map((outcome) => (outcome.status === 'done' ? { number: outcome.number, status: outcome.status } : outcome))
    .toSorted((a, b) => a.number - b.number);
}

function numbersOf(numbered: readonly { readonly number: number }[]): readonly number[] {
  return numbered.map(({ number }) => number).toSorted((a, b) => a - b);
}
