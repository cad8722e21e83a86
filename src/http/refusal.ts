import { FAILURES, type Failure, type FailureCode } from '../core/failure.ts';

/** What HTTP itself refuses, before or beside the table of failures. */
const REFUSALS = {
  unauthorised: 401,
  forbidden: 403,
  'no-such-path': 404,
  'wrong-method': 405,
  'too-large': 413,
  'wrong-type': 415,
  'at-work': 409,
  'answer-unknown': 409,
  'key-reused': 422,
  'too-many': 429,
  stopping: 503,
  'no-space': 507,
} as const;

export type RefusalCode = keyof typeof REFUSALS;

export const ERROR_CODES = [...Object.keys(FAILURES), ...Object.keys(REFUSALS)] as [string, ...string[]];

/** A request that is answered with an error. */
export interface ErrorAnswer {
  readonly status: number;
  readonly code: FailureCode | RefusalCode;
  readonly message: string;
  readonly hint?: string;
  /** When it is worth trying again. */
  readonly retryAfterSeconds?: number;
}

export function refuse(code: RefusalCode, message: string, hint: string): ErrorAnswer {
  return { status: REFUSALS[code], code, message, hint };
}

/**
 * A failure as a client sees it. What went wrong inside stays inside, and the place of the home on the disk is nobody's
 * business: both are in the log of the daemon.
 */
export function failureAnswer({ code, httpStatus, message, hint }: Failure, homePath: string): ErrorAnswer {
  if (code === 'integrity') return DAMAGED;
  if (httpStatus >= 500) return { ...INTERNAL, code };
  const hide = (text: string) => text.replaceAll(homePath, 'the home');
  return { status: httpStatus, code, message: hide(message), ...(hint !== undefined && { hint: hide(hint) }) };
}

/** For what passes by itself, or when somebody starts the daemon again. */
export const COME_BACK_SECONDS = 5;

/** For whoever comes too late. */
export const STOPPING: ErrorAnswer = {
  ...refuse('stopping', 'The daemon is stopping.', 'Try again in a moment.'),
  retryAfterSeconds: COME_BACK_SECONDS,
};

/** For what nobody expected. */
export const INTERNAL: ErrorAnswer = {
  status: FAILURES.failed.http,
  code: 'failed',
  message: 'Something went wrong on the side of Coppice.',
  hint: 'The log of coppice serve says more. See also: coppice doctor',
};

/** Trying again does not help. */
const DAMAGED: ErrorAnswer = {
  status: FAILURES.integrity.http,
  code: 'integrity',
  message: 'Stored data of the home is damaged, or of an unknown version.',
  hint: 'See what is damaged, on the machine of the daemon, with: coppice doctor',
};
