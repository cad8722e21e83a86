import { DAY_MS } from '../../core/time.ts';
import type { CommandInput } from '../command.ts';
import type { ClearCopiesOptions } from '../command-options.ts';
import { runByHand } from './run-by-hand.ts';

/** An agent puts a copy aside when something was wrong; what nobody missed for so long may go. */
const AGE_MS = 30 * DAY_MS;

/** `coppice clear-copies`: what another agent put aside and never cuts back, into the trash. The newest of each sort stays. */
export function run(input: CommandInput<ClearCopiesOptions>): Promise<number> {
  const { options, io } = input;
  const before = options.olderThan ?? io.clock.now() - AGE_MS;
  return runByHand(input, () => ({ kind: 'clear-copies', before }));
}
