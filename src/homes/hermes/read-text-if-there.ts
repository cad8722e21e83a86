import { readFileSync } from 'node:fs';
import { errorCode } from '../../platform/error-code.ts';

/** The text of a file; nothing where there is none. */
export function readTextIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return '';
    throw error;
  }
}
