import type { CommandInput } from '../command.ts';
import { runByHand } from '../retention/run-by-hand.ts';
import type { ClearOptions } from './options.ts';

/** `coppice checkpoints clear-legacy`: checkpoints in layouts of before, into the trash. */
export function run(input: CommandInput<ClearOptions>): Promise<number> {
  return runByHand(input, () => ({ kind: 'clear-legacy' }));
}
