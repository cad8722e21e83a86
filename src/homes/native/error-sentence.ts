import { Failure } from '../../core/failure.ts';
import { errorCode } from '../../platform/error-code.ts';

/** What a person is told of an error that one item met and that does not stop the others. A bug does, so it is thrown on. */
export function errorSentence(error: unknown): string {
  if (error instanceof Failure) return error.message;
  const code = errorCode(error);
  if (code === undefined) throw error;
  return `The file system refused it: ${code}.`;
}
