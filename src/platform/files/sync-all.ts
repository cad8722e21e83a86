import { open } from 'node:fs/promises';
import { errorCode } from '../error-code.ts';

/**
 * Makes files and the names in directories survive a power cut, all at once: a file system commits many for the price of a few.
 * What is gone by now needs nothing.
 */
export async function syncAll(paths: Iterable<string>): Promise<void> {
  await Promise.all([...new Set(paths)].map(sync));
}

async function sync(path: string): Promise<void> {
  try {
    const file = await open(path, 'r');
    try {
      await file.sync();
    } finally {
      await file.close();
    }
  } catch (error) {
    if (!HARMLESS.has(errorCode(error) ?? '')) throw error;
  }
}

/** Windows cannot open or sync a directory; some file systems can open it and then refuse. */
const HARMLESS: ReadonlySet<string> = new Set(['ENOENT', 'EPERM', 'EISDIR', 'EINVAL']);
