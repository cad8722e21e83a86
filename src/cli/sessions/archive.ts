import type { CommandInput } from '../command.ts';
import type { ArchiveOptions } from '../command-options.ts';
import { runByHand } from '../retention/run-by-hand.ts';
import { selectionFrom } from './selection-from.ts';

/** `coppice sessions archive`: compressed and verified, and restorable for as long as the archive keeps them. */
export function run(input: CommandInput<ArchiveOptions>): Promise<number> {
  return runByHand(input, () => ({ kind: 'archive', ...selectionFrom(input) }));
}
