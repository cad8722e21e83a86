import { Failure } from './failure.ts';

/** For what is tried on the side: what the disk or a lock refuses is said where somebody waits for it. Anything else is a bug. */
export function unlessFailure(error: unknown): void {
  if (!(error instanceof Failure)) throw error;
}
