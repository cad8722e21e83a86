import { Failure } from '../../../core/failure.ts';
import { DAY_MS, type EpochMs } from '../../../core/time.ts';
import { errorCode } from '../../../platform/error-code.ts';
import type { Connection } from '../database/connection.ts';
import { databaseBytes } from '../database/database-size.ts';
import type { PatientQueue } from './patient-queue.ts';
import { INDEXES } from '../search/search-indexes.ts';
import { addEmptyPiece, isBelowTop, isTiny } from '../search/index-levels.ts';
import { buildIndexAnew } from '../search/search-index.ts';

/**
 * Deleting a message only adds to a search index: a note that the words of that message no longer count. Words and notes are both
 * gone once all pieces of the index were merged into one, which takes 30 µs for each message that is left. So that is done at once
 * when somebody wants the words gone, and otherwise when it is worth it: a tenth of the text was deleted, the home is small, or a
 * day has passed. Afterwards both together take at most four times the text, and what docs/decisions/0023 says besides.
 */
export interface ShrinkOptions {
  readonly now: EpochMs;
  /** No word of what is gone may stay, however long that takes. */
  readonly erase: boolean;
  /** Ends it between two steps. Whoever comes next goes on. */
  readonly signal?: AbortSignal | undefined;
}

/** Notes, in the transaction that deletes it, how much text has left the messages. */
export function noteDeletedText(db: Connection, textBytes: number): void {
  setMeta(db, DELETED, String(deletedText(db) + textBytes));
}

/** Whether a merge was begun and not ended, or so much was deleted that nobody should wait for another reason to merge. */
export function mustShrink(db: Connection): boolean {
  return progressOf(db) !== undefined || isMuch(db);
}

/** Merges each index into one piece if that is due, in short steps. Returns whether there was anything to do. */
export async function shrinkIndexes(db: Connection, queue: PatientQueue, options: ShrinkOptions): Promise<boolean> {
  // What was begun before the last deletion may have passed its words already.
  let at = options.erase ? undefined : progressOf(db);
  if (at === undefined && !isDue(db, options)) return false;
  // A merge that an earlier call began leaves what was deleted since, so there may be another one to do.
  do {
    at ??= { index: 0, begun: false, deleted: deletedText(db) };
    if (!(await mergeAll(db, queue, { at, ...options }))) break;
    at = undefined;
  } while (isMuch(db));
  return true;
}

/** False when it was stopped, or there is no room to go on. */
async function mergeAll(
  db: Connection,
  queue: PatientQueue,
  { at: from, now, signal }: ShrinkOptions & { readonly at: Progress },
): Promise<boolean> {
  const { deleted } = from;
  for (let index = from.index; index < INDEXES.length; index += 1) {
    const at = index === from.index ? from : { index, begun: false, deleted };
    const request = { at, signal };
    const merge = async () => (await mergeWhole(db, queue, request)) && (await mergeAgain(db, queue, request));
    if (!(await falseWhenFull(merge))) return false;
  }
  await queue.run(() => {
    // Others may have deleted something meanwhile.
    setMeta(db, DELETED, String(Math.max(0, deletedText(db) - deleted)));
    setMeta(db, SHRUNK_AT, String(now));
    setMeta(db, PROGRESS, undefined);
  });
  return true;
}

/** How far the merge of all indexes has come. */
interface Progress {
  /** Those before this one are done. */
  readonly index: number;
  /** All its pieces were taken into one merge, which only has to go on. */
  readonly begun: boolean;
  /** What had been deleted when it began. */
  readonly deleted: number;
}

const DELETED = 'index-deleted-bytes';
const SHRUNK_AT = 'index-shrunk-at';
const PROGRESS = 'index-shrinking';
/** Merging what a database of this size holds takes a few tenths of a second. */
const SMALL_BYTES = 16 * 1024 * 1024;
/** With its indexes, text takes three times as much. */
const PART_DELETED = 1 / 30;

function isDue(db: Connection, { now, erase }: ShrinkOptions): boolean {
  if (deletedText(db) === 0) return false;
  if (erase || databaseBytes(db) <= SMALL_BYTES || isMuch(db)) return true;
  const shrunkAt = Number(metaOf(db, SHRUNK_AT) ?? 0);
  return now - shrunkAt >= DAY_MS || now < shrunkAt;
}

/** Whether what was deleted is a part of the database that counts. */
function isMuch(db: Connection): boolean {
  const deleted = deletedText(db);
  return deleted > 0 && deleted >= databaseBytes(db) * PART_DELETED;
}

/** Where there is no room to merge nothing is lost, and whoever comes next tries again. */
async function falseWhenFull(merge: () => Promise<boolean>): Promise<boolean> {
  try {
    return await merge();
  } catch (error) {
    if (!(error instanceof Failure) || errorCode(error.cause) !== 'SQLITE_FULL') throw error;
    return false;
  }
}

interface MergeRequest {
  readonly at: Progress;
  readonly signal: AbortSignal | undefined;
}

/** False when it was stopped. It is remembered how far it came, also when there is no room to go on. */
async function mergeWhole(db: Connection, queue: PatientQueue, { at, signal }: MergeRequest): Promise<boolean> {
  const index = INDEXES[at.index] ?? '';
  const merge = db.sql(`INSERT INTO ${index} (${index}, rank) VALUES ('merge', ?)`);
  const changes = db.sql<[], number>('SELECT total_changes()').pluck();
  let { begun } = at;
  const step = (pages: number) => {
    const before = changes.get() ?? 0;
    // A negative number begins with all pieces. FTS5 takes whole numbers only, and a plain number is bound as a fraction.
    merge.run(BigInt(begun ? pages : -pages));
    // The statement itself counts as one change.
    const done = (changes.get() ?? 0) - before > 1 ? pages : 0;
    if (!begun) setMeta(db, PROGRESS, JSON.stringify({ ...at, begun: true }));
    begun = true;
    return done;
  };
  while ((await queue.step('index', step)) > 0) if (signal?.aborted === true) return false;
  return true;
}

/** What a merge left of words that are gone is merged into a new highest level. Others may write meanwhile, so it is tried again. */
async function mergeAgain(db: Connection, queue: PatientQueue, { at, signal }: MergeRequest): Promise<boolean> {
  const index = INDEXES[at.index] ?? '';
  for (let attempt = 1; attempt <= ATTEMPTS && isBelowTop(db, index); attempt += 1) {
    if (isTiny(db, index)) {
      await queue.run(() => buildIndexAnew(db, index));
      return true;
    }
    await queue.run(() => addEmptyPiece(db, index));
    if (!(await mergeWhole(db, queue, { at: { ...at, begun: false }, signal }))) return false;
  }
  return true;
}

const ATTEMPTS = 3;

function progressOf(db: Connection): Progress | undefined {
  const text = metaOf(db, PROGRESS);
  return text === undefined ? undefined : (JSON.parse(text) as Progress);
}

/** How much text left the messages since the indexes were last merged. */
export function deletedText(db: Connection): number {
  return Number(metaOf(db, DELETED) ?? 0);
}

function metaOf(db: Connection, key: string): string | undefined {
  return db.sql<[string], string>('SELECT value FROM meta WHERE key = ?').pluck().get(key);
}

function setMeta(db: Connection, key: string, value: string | undefined): void {
  if (value === undefined) db.sql('DELETE FROM meta WHERE key = ?').run(key);
  else db.sql('INSERT OR REPLACE INTO meta VALUES (?, ?)').run(key, value);
}
