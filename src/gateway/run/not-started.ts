import { existsSync } from 'node:fs';
import { errorText } from '../../core/error-text.ts';
import { Failure } from '../../core/failure.ts';
import { errorCode } from '../../platform/error-code.ts';
import type { ChildOptions } from './child.ts';

/** Why a command could not be started, for a person. */
export function notStarted({ command, cwd }: Pick<ChildOptions, 'command' | 'cwd'>, cause: unknown): Failure {
  if (!existsSync(cwd)) {
    const hint = 'Create it, or change to a directory that exists, and run the command again.';
    return new Failure('usage', `The directory ${cwd} does not exist, so no command can run in it.`, { hint, cause });
  }
  if (errorCode(cause) === 'ENOENT') {
    const hint = 'Check how it is spelled, or give its whole path, as in: coppice run -- /path/to/agent';
    return new Failure('usage', `There is no command ${command}.`, { hint, cause });
  }
  if (errorCode(cause) === 'EACCES') {
    const hint = `If it is a program, allow that it is run: chmod +x ${command}`;
    return new Failure('usage', `The file ${command} may not be run.`, { hint, cause });
  }
  const reason = errorText(cause);
  const hint = 'Run the command by itself to see whether it works there.';
  return new Failure('usage', `The command ${command} could not be started: ${reason}`, { hint, cause });
}
