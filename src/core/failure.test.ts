import { describe, expect, it } from 'vitest';
import { FAILURES, Failure, type FailureCode } from './failure.ts';

describe('a failure', () => {
  it('carries its sentence, the next step and the cause', () => {
    const cause = new Error('below');
    const failure = new Failure('locked', 'Somebody else is writing.', { hint: 'Wait a moment.', cause });
    expect(failure).toBeInstanceOf(Error);
    expect(failure).toMatchObject({
      name: 'Failure',
      code: 'locked',
      message: 'Somebody else is writing.',
      hint: 'Wait a moment.',
      cause,
    });
  });

  it('has neither hint nor cause when none is given', () => {
    const failure = new Failure('failed', 'It did not work.');
    expect(failure.hint).toBeUndefined();
    expect('cause' in failure).toBe(false);
  });

  it.each(Object.keys(FAILURES) as FailureCode[])(
    'of the code %s has the exit code and status of the table',
    (code) => {
      const failure = new Failure(code, 'x');
      expect(failure.exitCode).toBe(FAILURES[code].exit);
      expect(failure.httpStatus).toBe(FAILURES[code].http);
    },
  );

  it('never leaves with the exit code of success or of an interruption', () => {
    for (const { exit } of Object.values(FAILURES)) expect([0, 130]).not.toContain(exit);
  });
});
