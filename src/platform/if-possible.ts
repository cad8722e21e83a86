import { errorCode } from './error-code.ts';

/** For what may as well stay as it is where the file system refuses it, such as a folder that is not empty. A bug is no refusal. */
export function ifPossible(act: () => void): void {
  try {
    act();
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
  }
}
