import { accessSync, constants } from 'node:fs';
import { errorCode } from '../error-code.ts';

/** Whether names may be put into a folder and taken out of it. */
export function isWritableFolder(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return false;
  }
}
