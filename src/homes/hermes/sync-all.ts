import { closeSync, fsyncSync, openSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { errorCode } from '../../platform/error-code.ts';

/**
 * Makes files and the names in directories survive a power cut. A file system commits everything for the first of them, so that
 * the others take no time. What is gone by now needs nothing.
 */
export async function syncAll(paths: Iterable<string>): Promise<void> {
  let synced = 0;
  for (const path of new Set(paths)) {
    sync(path);
    synced += 1;
    if (synced % AT_ONCE === 0) await setImmediate();
  }
}

const AT_ONCE = 20;

function sync(path: string): void {
  try {
    const handle = openSync(path, 'r');
    try {
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    if (!HARMLESS.has(errorCode(error) ?? '')) throw error;
  }
}

/** Windows cannot open or sync a directory; some file systems can open it and then refuse. */
const HARMLESS: ReadonlySet<string> = new Set(['ENOENT', 'EPERM', 'EISDIR', 'EINVAL']);
