import { closeSync, fdatasync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { syncDir } from '../../../platform/files/private-files.ts';

const sync = promisify<number, void>((handle, done) => fdatasync(handle, done));

/** Waits for the disk without keeping the thread. */
export interface WalSync extends Disposable {
  /** Resolves when everything that was committed until now survives a power cut. */
  settle(): Promise<void>;
}

/**
 * Syncs the write-ahead log of a database for transactions that did not. SQLite takes no locks on that file, which is why it may be
 * opened beside SQLite, unlike the database itself; and it is the same file for as long as a connection is open.
 */
export function createWalSync(database: string): WalSync {
  let handle: number | undefined;
  const open = () => {
    const opened = openSync(`${database}-wal`, 'r+');
    // Whoever makes the file syncs its name with the first of its own syncs. That may not have come yet.
    syncDir(dirname(database));
    return opened;
  };
  return {
    async settle() {
      handle ??= open();
      await sync(handle);
    },
    [Symbol.dispose]() {
      if (handle !== undefined) closeSync(handle);
    },
  };
}
