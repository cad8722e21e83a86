import type { ItemOutcome, RunItem } from './run.ts';

type Numbered = Pick<RunItem, 'number'>;

export function done({ number }: Numbered): ItemOutcome {
  return { number, status: 'done' };
}

/** It is left as it is, and the sentence says why. */
export function skip({ number }: Numbered, detail: string): ItemOutcome {
  return { number, status: 'skipped', detail };
}

/** Done, unless a sentence says why it was left as it is. */
export function doneUnless(item: Numbered, detail: string | undefined): ItemOutcome {
  return detail === undefined ? done(item) : skip(item, detail);
}
