import type { Database } from 'better-sqlite3';
import { quoted } from './row-lines.ts';

/**
 * Merges the parts of the search indexes, a few pages each time. SQLite does the same by itself within whatever change makes it
 * due, and in a large index that is hundreds of pages with the write lock held. Done early and in small pieces, next to nothing
 * is due when sessions go or come back. What an index holds and how it is set up stay as they are. Each says whether there is more.
 */
export function indexMerges(db: Database): readonly (() => boolean)[] {
  const indexes = db
    .prepare<[], string>(
      `SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'messages\\_fts%' ESCAPE '\\' AND sql LIKE '%USING fts5%'`,
    )
    .pluck()
    .all();
  const changes = db.prepare<[], number>('SELECT total_changes()').pluck();
  return indexes.map(quoted).map((index) => {
    const merge = db.prepare(`INSERT INTO ${index} (${index}, rank) VALUES ('merge', ${PAGES})`);
    return () => {
      const before = Number(changes.get());
      merge.run();
      // The command itself counts as one.
      return Number(changes.get()) - before > 1;
    };
  });
}

/** Some milliseconds of work. */
const PAGES = 32;
