import { statSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import { Failure } from '../../../core/failure.ts';
import { openAtRest, openInUse } from '../../../platform/sqlite/open-at-rest.ts';

/** A database that is read where nothing can be written. */
export interface ReadOnlyDatabase {
  readonly raw: Database;
  /** Fails once somebody else has written to a database that is read without locks: what was read may not belong together. */
  readonly refuseDisturbed: () => void;
}

/**
 * Opens a database where nothing can be written. One at rest is read without locks, because SQLite would need to make files beside
 * it; one that is in use, or was when its process died, through the files that are there.
 */
export function openReadOnly(path: string, timeout: number): ReadOnlyDatabase {
  const before = traces(path);
  const raw = before === undefined ? openInUse(path, timeout) : openAtRest(path, timeout).db;
  return {
    raw,
    refuseDisturbed() {
      if (before !== undefined && traces(path) !== before) throw disturbed(path);
    },
  };
}

/** At rest means no log with content and no shared memory: size and times then tell of any change. Undefined when it is not. */
function traces(path: string): string | undefined {
  const look = (suffix: string) => statSync(path + suffix, { bigint: true, throwIfNoEntry: false });
  const [main, log, memory] = [look(''), look('-wal'), look('-shm')];
  if ((log?.size ?? 0n) > 0n || memory !== undefined) return undefined;
  return [main?.ino, main?.size, main?.mtimeNs, main?.ctimeNs].join(':');
}

function disturbed(path: string): Failure {
  return new Failure('locked', `Somebody wrote to ${path} while it was read.`, {
    hint: 'Nothing was changed by this command. Run it again.',
  });
}
