import type { KnownHome } from '../../app/machine/known-homes.ts';
import type { CommandInput } from '../command.ts';

/** A command, and the homes that it is about. */
export interface HomesInput<O> extends CommandInput<O> {
  readonly homes: readonly KnownHome[];
}
