import { inspect } from 'node:util';
import { errorText } from '../core/error-text.ts';
import { Failure } from '../core/failure.ts';
import { machineFailure } from '../core/machine-failure.ts';
import type { GlobalOptions } from './command.ts';
import { forSamePlace } from './hint-command.ts';
import type { Io } from './io.ts';
import { jsonLine } from './print/json-output.ts';
import { safeLines } from './print/safe-text.ts';

/**
 * Tells the person what went wrong and what to do next, on stderr so that stdout holds results only, and returns the
 * exit code. With `json` it is one line of JSON. Commands in the hint work on the home at hand.
 */
export function printFailure(
  { err, env }: Pick<Io, 'err' | 'env'>,
  error: unknown,
  { json = false, ...place }: Partial<GlobalOptions> = {},
): number {
  const failure = failureOf(error);
  const { code, message, exitCode } = failure;
  const hint = failure.hint && forSamePlace(place, failure.hint);
  const stack = env['COPPICE_DEBUG'] ? inspect(error) : undefined;
  if (json) {
    err.write(jsonLine({ error: { code, message, hint, exitCode, stack } }));
    return exitCode;
  }
  err.write(`${err.colour.red('coppice:')} ${safeLines(message)}\n`);
  if (hint !== undefined) err.write(`${safeLines(hint)}\n`);
  if (stack !== undefined) err.write(`${safeLines(stack)}\n`);
  return exitCode;
}

/** What a person is told of an error, whatever it is. */
export function failureOf(error: unknown): Failure {
  return error instanceof Failure ? error : (machineFailure(error) ?? unexpected(error));
}

function unexpected(error: unknown): Failure {
  const message = errorText(error);
  return new Failure('failed', `Something went wrong that Coppice did not expect: ${message}`, {
    hint: 'Set COPPICE_DEBUG=1 and run the command again to see where it happened.',
    cause: error,
  });
}
