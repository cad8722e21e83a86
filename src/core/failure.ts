/**
 * Every way Coppice can say no, with the exit code of the command line and the status of the HTTP API.
 * Codes 0 (done) and `INTERRUPTED` are outcomes, not failures.
 */
export const FAILURES = {
  failed: { exit: 1, http: 500, meaning: 'it could not be done: something is missing, full or not as expected' },
  usage: { exit: 2, http: 400, meaning: 'the command, flag or argument is not valid' },
  'bad-config': { exit: 2, http: 422, meaning: 'the configuration is not valid; nothing was changed' },
  partial: { exit: 3, http: 207, meaning: 'some items failed or were skipped' },
  'cap-unreachable': { exit: 4, http: 409, meaning: 'the size limit cannot be reached without touching what is held' },
  refused: { exit: 5, http: 409, meaning: 'refused to protect data: stale plan, guard, or something in the way' },
  'not-found': { exit: 10, http: 404, meaning: 'there is no such home, session, run, plan or checkpoint' },
  locked: { exit: 11, http: 409, meaning: 'another process holds the lock' },
  integrity: { exit: 12, http: 500, meaning: 'stored data is damaged or of an unknown version' },
} as const;

/** What a command that Ctrl-C ended exits with, as shells have it. */
export const INTERRUPTED = 130;

export type FailureCode = keyof typeof FAILURES;

export interface FailureOptions {
  /** The next step for the person reading, naming a command where there is one. */
  readonly hint?: string;
  readonly cause?: unknown;
}

/** The one error class meant for users: a code, a sentence, and what to do next. */
export class Failure extends Error {
  readonly code: FailureCode;
  readonly hint: string | undefined;

  constructor(code: FailureCode, message: string, { hint, cause }: FailureOptions = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'Failure';
    this.code = code;
    this.hint = hint;
  }

  get exitCode(): number {
    return FAILURES[this.code].exit;
  }

  get httpStatus(): number {
    return FAILURES[this.code].http;
  }
}
