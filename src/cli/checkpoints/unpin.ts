import type { CommandInput } from '../command.ts';
import type { NoOptions } from '../command-options.ts';
import { changePin } from './change-pin.ts';

/** `coppice checkpoints unpin ID` */
export function run(input: CommandInput<NoOptions>): Promise<number> {
  return changePin(input, (checkpoints, id) => checkpoints.unpin(id));
}
