import { Failure } from '../core/failure.ts';
import { errorCode } from './error-code.ts';

/** What a person is told of an error that one item met and that does not stop the others. A bug does, so it is thrown on. */
export function errorSentence(error: unknown): string {
  if (error instanceof Failure) return error.message;
  const code = errorCode(error);
  if (code === undefined) throw error;
  return `The file system refused it: ${code}.`;
}

/** What an act gives back, or the sentence about what it met. */
export function obstacleOf(act: () => string | undefined | void): string | undefined {
  try {
    return act() ?? undefined;
  } catch (error) {
    return errorSentence(error);
  }
}

/** The same of an act that takes a while. */
export async function obstacleTo(act: () => Promise<string | undefined | void>): Promise<string | undefined> {
  try {
    return (await act()) ?? undefined;
  } catch (error) {
    return errorSentence(error);
  }
}
