import { copyFileSync, mkdirSync, mkdtempSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import BetterSqlite3, { type Database } from 'better-sqlite3';
import type { EpochMs } from '../../src/core/time.ts';

export interface LeftDatabase {
  /** Relative to the home. */
  readonly path: string;
  readonly write: (db: Database) => void;
  readonly at: EpochMs;
  /** All of it stays in the log, and nothing in the database itself. */
  readonly inLog?: boolean;
}

/** Puts a database into a home as its program leaves it: with a log, and without the memory that its processes share. */
export function putLeftDatabase(home: string, { path, write, at, inLog = true }: LeftDatabase): void {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-left-'));
  const made = join(folder, basename(path));
  const db = new BetterSqlite3(made);
  try {
    db.pragma('journal_mode = WAL');
    write(db);
    if (!inLog) db.pragma('wal_checkpoint(TRUNCATE)');
    mkdirSync(dirname(join(home, path)), { recursive: true });
    for (const suffix of inLog ? ['', '-wal'] : ['']) {
      const to = join(home, path + suffix);
      copyFileSync(made + suffix, to);
      utimesSync(to, at / 1000, at / 1000);
    }
  } finally {
    db.close();
    rmSync(folder, { recursive: true });
  }
}
