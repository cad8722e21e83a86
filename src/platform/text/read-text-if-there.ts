import { errorCode } from '../error-code.ts';
import { readRegular } from '../files/open-regular.ts';

/** The text of a file; nothing where there is none. */
export function readTextIfThere(path: string): string {
  try {
    return readRegular(path).toString();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return '';
    throw error;
  }
}
