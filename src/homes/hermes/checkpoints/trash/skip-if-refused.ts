import { Failure } from '../../../../core/failure.ts';
import { skip } from '../../../../core/retention/item-outcome.ts';
import type { ItemOutcome, RunItem } from '../../../../core/retention/run.ts';
import { GitError } from '../../../../platform/git/run-git.ts';

/** What git or Hermes says against a step stands against all of its items, and is no failure of the run. */
export async function skipIfRefused(
  items: readonly RunItem[],
  act: () => Promise<readonly ItemOutcome[]>,
): Promise<readonly ItemOutcome[]> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof Failure || error instanceof GitError)) throw error;
    const detail = error instanceof Failure ? error.message : `git refused it: ${firstLine(error.stderr)}`;
    return items.map((item) => skip(item, detail));
  }
}

function firstLine(text: string): string {
  return text.trim().split('\n', 1).join();
}
