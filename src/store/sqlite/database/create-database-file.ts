import { closeSync, constants, fchmodSync, openSync } from 'node:fs';
import { errorCode } from '../../../platform/error-code.ts';
import { refuseIrregular } from '../../../platform/files/open-regular.ts';
import { translateSqliteError } from './sqlite-errors.ts';

/**
 * Makes an empty database file that only its owner can read, whatever the umask; leaves one that is there alone. O_EXCL never
 * opens an existing file, so the locks of other connections in this process are safe.
 */
export function createDatabaseFile(path: string): void {
  try {
    const handle = openSync(path, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, 0o600);
    fchmodSync(handle, 0o600);
    closeSync(handle);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw translateSqliteError(error, path);
    refuseIrregular(path);
  }
}
