import type { Home } from '../../app/home.ts';
import type { KnownHome } from '../../app/machine/known-homes.ts';
import { FAILURES, Failure } from '../../core/failure.ts';
import type { CommandInput } from '../command.ts';
import { printFailure } from '../print-failure.ts';
import { type Opening, openFor } from '../with-home.ts';
import type { HomesInput } from './homes-input.ts';
import { inHome } from './in-home.ts';

/** A home that is open, with what it is called. */
export interface OpenKnownHome {
  readonly known: KnownHome;
  readonly home: Home;
}

/** Opens several homes to look at them, and closes them when the work is done. One that cannot be read is told of and left out. */
export async function withOpenHomes<O, T>(
  input: HomesInput<O>,
  reading: NonNullable<Opening['reading']>,
  work: (open: readonly OpenKnownHome[]) => Promise<T>,
): Promise<T> {
  const open: OpenKnownHome[] = [];
  try {
    for (const known of input.homes) {
      const home = await openOrTell(input, known, reading);
      if (home !== undefined) open.push({ known, home });
    }
    return await work(open);
  } finally {
    for (const { home } of open) await home.close();
  }
}

/** What a command ends with that left some homes out. */
export function codeWithout(input: HomesInput<unknown>, open: readonly OpenKnownHome[], code: number): number {
  return code === 0 && open.length < input.homes.length ? FAILURES.partial.exit : code;
}

async function openOrTell<O>(
  input: CommandInput<O>,
  known: KnownHome,
  reading: NonNullable<Opening['reading']>,
): Promise<Home | undefined> {
  const there = inHome(input, known);
  try {
    return await openFor(there, { create: false, reading });
  } catch (error) {
    if (input.io.signal.aborted && !(error instanceof Failure)) throw error;
    printFailure(input.io, error, there.global);
    return undefined;
  }
}
