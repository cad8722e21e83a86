import type { CommandInput } from '../command.ts';
import { runByHand } from '../retention/run-by-hand.ts';
import type { ClearOptions } from './options.ts';

/** `coppice checkpoints clear`: every checkpoint that nothing holds, into the trash. */
export function run(input: CommandInput<ClearOptions>): Promise<number> {
  return runByHand(input, () => ({ kind: 'clear-checkpoints' }), { typed: true });
}
