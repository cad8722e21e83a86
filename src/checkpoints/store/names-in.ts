import { readdirSync } from 'node:fs';
import { errorCode } from '../../platform/error-code.ts';

/** The names in a folder that fit. A folder that is not there, or cannot be read, holds none. */
export function namesIn(dir: string, pattern: RegExp): string[] {
  try {
    return readdirSync(dir).filter((name) => pattern.test(name));
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return [];
  }
}
