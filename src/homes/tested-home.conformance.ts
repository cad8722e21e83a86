import { expect } from 'vitest';
import type { ItemOutcome, RunItem } from '../core/retention/run.ts';
import { allDone } from '../kit/homes/outcomes.ts';

export { itemsFor, type MakeHome, RUN, removals, type TestedHome, toItem } from '../kit/homes/tested-home.ts';

/** For `toEqual`: every one of these items is done. */
export function doneAll(items: readonly RunItem[]): unknown {
  return expect.toSatisfy((found: readonly ItemOutcome[]) => {
    allDone(found, items);
    return true;
  });
}
