import type { Database } from 'better-sqlite3';
import type { PriceTokens, ReadUsage, UsageBook } from '../../../core/stores/usage-book.ts';
import { withBook } from '../database/sqlite-errors.ts';
import { type AddCalls, callRows } from './call-rows.ts';
import { shareRows } from './share-rows.ts';
import { keepDays, type LocalDays, SpentSums } from './spent-sums.ts';
import { settleSupervised, unsettledFrom } from './supervised-calls.ts';
import { usageNames } from './usage-names.ts';
import { pricePortion } from './usage-prices.ts';
import { openUsageDatabase } from './usage-schema.ts';
import { usageTotals } from './usage-totals.ts';

/** Whoever writes needs milliseconds, so waiting longer means that somebody hangs. */
const BUSY_WAIT_MS = 10_000;
const REMEDY =
  'It holds what all agents used. Move the file away: what is still told of by transcripts and sessions is counted anew.';

export interface UsageBookOptions {
  readonly path: string;
  readonly days: LocalDays;
  readonly priceOf: PriceTokens;
  /** The name of a model without what tells its versions apart. */
  readonly familyOf: (model: string) => string;
}

/**
 * Opens what was ever used: a small database of its own. Each method is one short transaction, so that several processes can book at
 * once, and whoever comes second finds that it is done.
 */
export function openUsageBook({ path, days, priceOf, familyOf }: UsageBookOptions): UsageBook {
  const db = said(path, () => openUsageDatabase(path, BUSY_WAIT_MS));
  db.function('family', { deterministic: true }, (name) => familyOf(String(name)));
  said(path, () => db.transaction(() => keepDays(db, days)).immediate());
  const sums = new SpentSums(db, days);
  const names = usageNames(db);
  const shares = shareRows(db, { names, sums, priceOf });
  const addCalls = callRows(db, { names, sums, shares, priceOf });
  const unsettled = unsettledFrom(db);
  const giveUp = () => {
    sums.clear();
    names.forget();
  };
  const transact = transactions(db, { path, sums, days, giveUp });
  const read = fileRows(db);

  return {
    files: (place) => said(path, () => read.all(place)),
    add: (place, pieces) =>
      transact(() => {
        for (const piece of pieces) addPiece({ read, addCalls, unsettled }, place, piece);
      }),
    addTold: (place, told) =>
      transact(() => {
        for (const each of told) {
          shares.tell(place, each);
          if (each.supervised) unsettled(each.startedAt);
        }
      }),
    settle: () => transact(() => settleSupervised(db, shares)),
    stamp: (place) => db.prepare<[string], string>('SELECT stamp FROM places WHERE place = ?').pluck().get(place),
    setStamp: (place, stamp) =>
      transact(() => void db.prepare('INSERT OR REPLACE INTO places VALUES (?, ?)').run(place, stamp)),
    async price() {
      while (await transact(() => pricePortion(db, sums, priceOf)));
    },
    async forgetProjects(ids) {
      const forget = db.prepare('UPDATE sessions SET project = NULL WHERE id IN (SELECT value FROM json_each(?))');
      await transact(() => void forget.run(JSON.stringify(ids)));
      // Pages as they were before stand in the log until it is emptied.
      said(path, () => db.pragma('wal_checkpoint(TRUNCATE)'));
    },
    totals: (by, range = {}) => said(path, () => usageTotals(db, by, range)),
    [Symbol.dispose]: () => db.close(),
  };
}

interface Adding {
  readonly read: FileRows;
  readonly addCalls: AddCalls;
  readonly unsettled: (at: number) => void;
}

function addPiece({ read, addCalls, unsettled }: Adding, place: string, piece: ReadUsage): void {
  if (piece.kind === 'file') read.write(place, piece.path, piece.stamp);
  else if (piece.kind === 'gone') read.drop(place, piece.path);
  else {
    const earliest = addCalls(place, piece.session, piece.calls);
    if (earliest !== undefined) unsettled(earliest);
  }
}

interface Transacting {
  readonly path: string;
  readonly sums: SpentSums;
  readonly days: LocalDays;
  readonly giveUp: () => void;
}

/** One transaction for each piece of work, which holds the write lock from its start. What it changed is added up at its end. */
function transactions(db: Database, { path, sums, days, giveUp }: Transacting) {
  const run = db.transaction((work: () => unknown) => {
    // Somebody elsewhere may have asked meanwhile.
    keepDays(db, days);
    const result = work();
    sums.write();
    return result;
  });
  return async <T>(work: () => T): Promise<T> =>
    said(path, () => {
      try {
        return run.immediate(work) as T;
      } catch (error) {
        giveUp();
        throw error;
      }
    });
}

interface FileRows {
  all(place: string): Map<string, string>;
  write(place: string, path: string, stamp: string): void;
  drop(place: string, path: string): void;
}

function fileRows(db: Database): FileRows {
  const all = db.prepare<[string], [string, string]>('SELECT path, stamp FROM files WHERE place = ?').raw();
  const write = db.prepare('INSERT OR REPLACE INTO files VALUES (?, ?, ?)');
  const drop = db.prepare('DELETE FROM files WHERE place = ? AND path = ?');
  return {
    all: (place) => new Map(all.all(place)),
    write: (place, path, stamp) => void write.run(place, path, stamp),
    drop: (place, path) => void drop.run(place, path),
  };
}

function said<T>(path: string, work: () => T): T {
  return withBook({ path, waitsMs: BUSY_WAIT_MS, remedy: REMEDY }, work);
}
