import { readdirSync } from 'node:fs';
import { errorCode } from '../error-code.ts';

/** What is in a directory; nothing where there is none. */
export function listNames(path: string): string[] {
  try {
    return readdirSync(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}
