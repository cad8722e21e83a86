import { wait } from '../../../platform/machine/wait.ts';
import { deletedText, type ShrinkOptions, shrinkIndexes } from './shrink-indexes.ts';
import type { Connection } from '../database/connection.ts';
import { databaseBytes, pragmaNumber } from '../database/database-size.ts';
import { emptyLog } from '../database/empty-log.ts';
import { translateSqliteError } from '../database/sqlite-errors.ts';
import type { PatientQueue } from './patient-queue.ts';
import { onTightDisk, roomFor } from '../database/tight-disk.ts';

/**
 * Gives free pages of the database back to the disk, in short steps whose log is emptied where room is short. Pages first, so that
 * there is room to merge the indexes, which frees more of them. Returns how many bytes the database has less.
 */
export async function giveBack(db: Connection, queue: PatientQueue, options: ShrinkOptions): Promise<number> {
  try {
    return await givePages(db, queue, options);
  } catch (error) {
    // Emptying the log is no transaction, so nobody else says in a sentence what the disk said.
    throw translateSqliteError(error, db.path);
  }
}

async function givePages(db: Connection, queue: PatientQueue, options: ShrinkOptions): Promise<number> {
  const before = databaseBytes(db);
  await vacuum(db, queue);
  if (cannotBeMerged(db)) await queue.letIndexGo();
  if (await shrinkIndexes(db, queue, options)) await vacuum(db, queue);
  // What a full disk made it let go of is built anew from the messages, as far as there is room.
  await queue.caughtUp();
  const given = Math.max(0, before - databaseBytes(db));
  // Only now: it keeps writers out while it waits for the disk. What the steps wrote goes the usual way meanwhile.
  if (options.erase) await emptyLogPatiently(db);
  else if (given > 0) emptyLog(db.raw);
  return given;
}

/** `incremental_vacuum` by exec: prepared, it frees a single page however many are asked for. */
async function vacuum(db: Connection, queue: PatientQueue): Promise<void> {
  const free = () => pragmaNumber(db, 'freelist_count');
  const some = (limit: number) => {
    const left = free();
    // The last page moves into a free one, and what points to it is written too.
    const fitting = Math.floor(roomFor(db) / (4 * pragmaNumber(db, 'page_size')));
    db.raw.exec(`PRAGMA incremental_vacuum(${Math.max(1, Math.min(limit, fitting))})`);
    return left - free();
  };
  while ((await queue.step('pages', some)) > 0);
}

const LOG_WAIT_MS = 2000;

/** What is gone is in the log still, and whoever reads keeps it there for a moment. */
async function emptyLogPatiently({ raw }: Connection): Promise<void> {
  const until = performance.now() + LOG_WAIT_MS;
  while (!emptyLog(raw) && performance.now() < until) await wait(20);
}

/**
 * Messages with words that no other has take three and a half times their size, indexes included. What is beyond that was left
 * behind by messages that are gone, and is given up by merging, which takes as much room as all that is merged.
 */
const MOST_RATIO = 5;
const OTHER_BYTES = 2 * 1024 * 1024;

/** Whether something of the search index is of messages that are gone, and the disk has no room to merge it. */
function cannotBeMerged(db: Connection): boolean {
  const liveBytes = databaseBytes(db) - pragmaNumber(db, 'freelist_count') * pragmaNumber(db, 'page_size');
  const room = roomFor(db);
  if (room >= 2 * liveBytes || liveBytes < OTHER_BYTES || deletedText(db) === 0) return false;
  if (room < liveBytes && onTightDisk(db)) return true;
  const contentBytes = db.sql<[], number>('SELECT coalesce(sum(content_bytes), 0) FROM sessions').pluck().get() ?? 0;
  return liveBytes > OTHER_BYTES + contentBytes * MOST_RATIO;
}
