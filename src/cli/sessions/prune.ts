import { Failure } from '../../core/failure.ts';
import type { PlanRequest } from '../../core/retention/plan.ts';
import type { CommandInput } from '../command.ts';
import type { PruneOptions } from '../command-options.ts';
import { runByHand } from '../retention/run-by-hand.ts';
import { selectionFrom } from './selection-from.ts';

/** `coppice sessions prune` */
export function run(input: CommandInput<PruneOptions>): Promise<number> {
  const request = requestFrom(input);
  return runByHand(input, () => request);
}

function requestFrom(input: CommandInput<PruneOptions>): PlanRequest {
  const { options } = input;
  const filesOnly = options.filesOnly === true || options.keepRows === true;
  if (filesOnly && options.includeFiles === true) {
    throw new Failure('usage', '--include-files removes whole sessions, and --files-only keeps them.', {
      hint: 'Leave one of the two out.',
    });
  }
  return { kind: 'prune', ...selectionFrom(input), part: filesOnly ? 'files' : 'all' };
}
