import type { Outcome } from '../../core/retention/run.ts';

/** How many items of a run were done and how many were not, telling of each as it comes. */
export async function countOutcomes(
  parts: readonly (AsyncIterable<Outcome> | Iterable<Outcome>)[],
  onOutcome?: (outcome: Outcome) => void,
) {
  const counts = { done: 0, skipped: 0, freedBytes: 0 };
  for (const outcomes of parts)
    for await (const outcome of outcomes) {
      counts[outcome.status] += 1;
      counts.freedBytes += outcome.freedBytes ?? 0;
      onOutcome?.(outcome);
    }
  return counts;
}
