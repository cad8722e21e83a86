import { errorText } from '../../../core/error-text.ts';
import { Failure } from '../../../core/failure.ts';
import { errorCode } from '../../../platform/error-code.ts';

/** Why a session stays where it is. */
export interface Refusal {
  readonly stays: string;
  /** The database itself is damaged, so nothing more is tried with it. */
  readonly damaged?: true;
}

/**
 * What the database says against one session, now and whenever it is tried again. Undefined for what passes, such as a full disk
 * or somebody who holds the lock: that concerns the whole run, and the next one finishes it.
 */
export function refusalOf(error: unknown): Refusal | undefined {
  const said = error instanceof Failure ? error.cause : error;
  const code = errorCode(said) ?? '';
  if (!code.startsWith('SQLITE_') || PASSES.test(code)) return undefined;
  if (DAMAGED.test(code)) return { stays: `Its database is damaged: ${errorText(said)}.`, damaged: true };
  return { stays: `The database of Hermes refused it: ${errorText(said)}.` };
}

/** What the database says against one session is an answer, and the others go on. */
export async function orRefusal<T>(act: () => Promise<T>): Promise<T | Refusal> {
  try {
    return await act();
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === undefined) throw error;
    return refusal;
  }
}

const PASSES = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|PERM|CANTOPEN|NOMEM|PROTOCOL|INTERRUPT)/;
const DAMAGED = /^SQLITE_(CORRUPT|NOTADB)/;
