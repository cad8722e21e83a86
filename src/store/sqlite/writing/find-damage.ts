import { errorText } from '../../../core/error-text.ts';
import { errorCode } from '../../../platform/error-code.ts';
import { damagedPages, databaseBytes, indexIn, SMALL_BYTES } from '../../../platform/sqlite/damaged-pages.ts';
import type { Connection } from '../database/connection.ts';
import { translateSqliteError } from '../database/sqlite-errors.ts';
import { startUpkeepThread } from './upkeep-thread.ts';

/**
 * What is wrong with the pages of a database, as SQLite says it. A page that cannot even be read is damage too. A search index that is
 * not in order is none: messages do not need it, and a repair builds it anew.
 */
export function findDamage(db: Connection): string | undefined {
  try {
    return damagedPages(db.raw).find((line) => indexIn(line) === undefined);
  } catch (error) {
    if (!/^SQLITE_(CORRUPT|NOTADB)/.test(errorCode(error) ?? '')) throw translateSqliteError(error, db.path);
    return errorText(error);
  }
}

/** The same without keeping the thread of a host program, where reading all pages takes a while. */
export async function findDamageAside(db: Connection): Promise<string | undefined> {
  if (db.raw.memory || isSmall(db)) return findDamage(db);
  const thread = startUpkeepThread(db.path);
  const found = await thread.damage();
  await thread.end();
  return found === undefined ? findDamage(db) : found || undefined;
}

/** One whose first page cannot be read is looked at right here. */
function isSmall({ raw }: Connection): boolean {
  try {
    return databaseBytes(raw) <= SMALL_BYTES;
  } catch {
    return true;
  }
}
