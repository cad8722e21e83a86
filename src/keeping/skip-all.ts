import { Failure } from '../core/failure.ts';
import { skip } from '../core/retention/item-outcome.ts';
import type { ItemOutcome, RunItem } from '../core/retention/run.ts';

/** What was begun before has to be finished, so it stays as it is until that is possible. The rest is left alone. */
export function skipAll(items: readonly RunItem[], sentence: string, begun: boolean): ItemOutcome[] {
  if (!begun) return items.map((item) => skip(item, sentence));
  throw new Failure('locked', `An earlier run is not finished, and cannot be now. ${sentence}`, {
    hint: 'Nothing is lost. Run the same command again later.',
  });
}
