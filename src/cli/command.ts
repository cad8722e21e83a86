import type { Io } from './io.ts';

/** One command: its module exports this as `run`. It prints through `io` and returns the exit code. */
export type Command<O> = (input: CommandInput<O>) => Promise<number>;

export interface CommandInput<O> {
  /** Told what was shown and can be named in another command, such as the id of a plan. */
  readonly onShown?: (id: string) => void;
  /** What follows the command, in order, options left out. */
  readonly args: readonly string[];
  readonly options: O;
  readonly global: GlobalOptions;
  readonly io: Io;
}

/** Options that every command takes. */
export interface GlobalOptions {
  /** As it was typed: a path, or the name of a home of this machine. */
  readonly home?: string;
  /** Where it is, when it was called by its name. */
  readonly homeAt?: string;
  /** The daemon to ask instead of opening a home. */
  readonly remote?: string;
  readonly json: boolean;
  /** Settings given by hand, in the order typed. */
  readonly set: readonly Setting[];
  /** False after `--no-color`; `io` then already prints without colour. */
  readonly color?: boolean;
}

/** Where the home is that was named; undefined where none was. */
export function placeOf({ home, homeAt }: GlobalOptions): string | undefined {
  return homeAt ?? home;
}

export interface Setting {
  readonly key: string;
  readonly value: string;
}
