import type { CommandInput } from '../command.ts';
import type { ByHandOptions } from '../command-options.ts';
import { runByHand } from '../retention/run-by-hand.ts';

/** `coppice checkpoints clear-legacy`: checkpoints in layouts of before, into the trash. */
export function run(input: CommandInput<ByHandOptions>): Promise<number> {
  return runByHand(input, () => ({ kind: 'clear-legacy' }));
}
