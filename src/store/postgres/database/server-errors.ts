import { Failure } from '../../../core/failure.ts';
import { errorText } from '../../../core/error-text.ts';
import { errorCode } from '../../../platform/error-code.ts';

/** The server found that two transactions would have changed the same things, and undid this one. */
const UNDONE = new Set(['40001', '40P01']);

/** Nobody answers, or not yet, or not for changes: a server that starts, stops, is full of callers, or follows another. */
const AWAY = new Set([
  '57P01',
  '57P02',
  '57P03',
  '57P05',
  '53300',
  '25006',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
]);

const UNIQUE = '23505';

export function isUndone(error: unknown): boolean {
  return UNDONE.has(errorCode(error) ?? '');
}

/** Whether the way to the server is gone, so that nobody knows what became of what was asked. */
export function isAway(error: unknown): boolean {
  const code = errorCode(error) ?? '';
  if (AWAY.has(code) || code.startsWith('08')) return true;
  return error instanceof Error && /^Connection terminated|timeout exceeded when trying to connect/.test(error.message);
}

/** Whether a row with the same key is there already. */
export function isTaken(error: unknown): boolean {
  return errorCode(error) === UNIQUE;
}

/** Says in a sentence what a server says in a code. Failures pass through, and so does what is a mistake of this program. */
export function serverFailure(error: unknown, where: string): unknown {
  if (error instanceof Failure) return error;
  const code = errorCode(error) ?? '';
  const [sentence, hint] = SENTENCES[code] ?? [];
  if (sentence === undefined) return error;
  return new Failure('failed', sentence.replace('WHERE', where), { hint: hint ?? '', cause: error });
}

const LET_IN = 'Look at the user, the password and the server’s pg_hba.conf.';
const SENTENCES: Readonly<Record<string, readonly [sentence: string, hint: string]>> = {
  '28P01': ['The server at WHERE does not accept the password.', LET_IN],
  '28000': ['The server at WHERE does not let this user in.', LET_IN],
  '3D000': ['There is no such database on the server at WHERE.', 'Create it with: createdb NAME'],
  '42501': ['The user may not do this in the database at WHERE.', 'Give it the rights that the guide names.'],
  '23505': [
    'There is something under that name at WHERE already.',
    'Nothing was changed. Look what is there, then try again.',
  ],
  '53100': ['The disk of the server at WHERE is full.', 'Make room there; nothing of this was written.'],
};

/** The failure for a server that did not answer in time. */
export function awayTooLong(where: string, waitedMs: number, cause: unknown): Failure {
  const seconds = Math.round(waitedMs / 1000);
  return new Failure('failed', `The server at ${where} could not be reached for ${seconds} s (${errorText(cause)}).`, {
    hint: 'Nothing is lost that was acknowledged. Look whether the server runs, then try again.',
    cause,
  });
}
