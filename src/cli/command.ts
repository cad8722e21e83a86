import type { Io } from './io.ts';

/** One command: its module exports this as `run`. It prints through `io` and returns the exit code. */
export type Command<O> = (input: CommandInput<O>) => Promise<number>;

export interface CommandInput<O> {
  /** What follows the command, in order, options left out. */
  readonly args: readonly string[];
  readonly options: O;
  readonly global: GlobalOptions;
  readonly io: Io;
}

/** Options that every command takes. */
export interface GlobalOptions {
  readonly home?: string;
  /** The daemon to ask instead of opening a home. */
  readonly remote?: string;
  readonly json: boolean;
  /** Settings given by hand, in the order typed. */
  readonly set: readonly Setting[];
  /** False after `--no-color`; `io` then already prints without colour. */
  readonly color?: boolean;
}

export interface Setting {
  readonly key: string;
  readonly value: string;
}
