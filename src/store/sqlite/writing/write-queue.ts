import { MAX_BATCH } from '../../../core/stores/session-writer.ts';
import { retryBusy } from '../../../platform/sqlite/retry-busy.ts';
import { indexWhenIdle } from '../search/index-when-idle.ts';
import { createSearchIndexer, isIndexBehind, newestMessage, type SearchIndexer } from '../search/search-index.ts';
import { isLogFull } from '../database/bound-log.ts';
import { type Connection, LOCK_DEADLINE_MS } from '../database/connection.ts';
import { FloodUpkeep } from './flood-upkeep.ts';
import { isBusy, lockedTooLong, translateSqliteError } from '../database/sqlite-errors.ts';
import { onTightDisk } from '../database/tight-disk.ts';

/**
 * All writes of a connection, one short transaction after another. Writes asked for at the same time share a transaction,
 * and so one wait for the disk; each of them succeeds or fails on its own. A promise resolves after the commit is durable.
 */
export interface WriteQueue {
  /** Runs a synchronous write inside a transaction. `rows` says how much it writes, to keep transactions short. */
  run<T>(write: () => T, rows?: number): Promise<T>;
  /** The same for a write that may still grow until its turn comes. */
  add<T>(work: Work<T>): Promise<T>;
  /** Whether this still waits, and nothing was asked for after it. */
  isLast(work: Work<unknown>): boolean;
  /** Resolves when everything asked for so far is done. */
  settled(): Promise<void>;
  /** Resolves when every message written so far, by whatever process, can be found by a search. */
  indexed(): Promise<void>;
  /** Resolves when nothing that this connection wrote waits to be indexed, or when that would take long or too much room. */
  caughtUp(): Promise<void>;
  /** Lets go of what is in the search index, which frees most of the database. It is built anew once there is room. */
  letIndexGo(): Promise<void>;
}

export interface Work<T> {
  write(): T;
  readonly rows: number;
  /** How many wait for it. */
  readonly callers: number;
}

/** So long whoever closes a database waits for the index. What is left then is made up for by others who write or search. */
const CATCH_UP_MS = 30_000;

/** From so many callers on, one waits for the disk for all of them, and nobody for the search index. */
const MANY = 4;

interface Waiting {
  readonly work: Work<unknown>;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

type Result =
  | { readonly status: 'ok'; readonly value: unknown }
  | { readonly status: 'failed'; readonly error: unknown };

export function createWriteQueue(connection: Connection): WriteQueue {
  const waiting: Waiting[] = [];
  const indexer = createSearchIndexer(connection);
  let draining: Promise<void> | undefined;
  let crowded = false;
  const upkeep = new FloodUpkeep(connection, indexer);
  const rest = indexWhenIdle(connection, indexer, () => draining !== undefined);

  async function drain(): Promise<void> {
    // Writes asked for in one go are all here after this. Where several callers write at once, a whole turn of the event loop
    // lets each of them come with its next one; a lone caller would only pay for it.
    await (crowded ? new Promise((resolve) => setImmediate(resolve)) : undefined);
    while (waiting.length > 0) {
      while (upkeep.turn !== undefined) await upkeep.turn;
      if (isLogFull(connection)) await upkeep.emptyLog();
      const batch = takeBatch(waiting);
      const callers = batch.reduce((sum, { work }) => sum + work.callers, 0);
      crowded = callers > 1;
      const isMany = callers >= MANY || upkeep.isRunning;
      const transact = () => (isMany ? runMany : runFew)(connection, indexer, batch);
      await commit(connection, batch, { transact, settle: isMany ? settleMany : undefined });
      // More writes gather while the disk works.
    }
    draining = undefined;
    rest();
  }

  async function settleMany(): Promise<void> {
    const settled = connection.settle();
    upkeep.goOn();
    await settled;
  }

  function add<T>(work: Work<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      waiting.push({ work, resolve, reject });
      draining ??= drain();
    });
  }

  const run: WriteQueue['run'] = (write, rows = 1) => add({ write, rows, callers: 1 });
  const makeUpWhile = makingUp(connection, () => run(() => indexer.makeUp()));

  return {
    run,
    add,
    isLast: (work) => waiting.at(-1)?.work === work,
    settled: async () => draining,
    async indexed() {
      // What is written from now on does not count: a flood would never let it end.
      const newest = newestMessage(connection);
      await makeUpWhile(() => isIndexBehind(connection, newest));
    },
    async caughtUp() {
      await upkeep.end();
      await makeUpWhile(() => indexer.owedBytes > 0, CATCH_UP_MS);
    },
    letIndexGo: () => run(() => indexer.letGo()),
  };
}

/** Makes up for what was put off as long as that is wanted, where it can be. A disk that is nearly full has no room for it. */
function makingUp(connection: Connection, makeUp: () => Promise<void>) {
  return async (isWanted: () => boolean, mostMs = Number.POSITIVE_INFINITY) => {
    const until = performance.now() + mostMs;
    while (isWanted() && !connection.raw.readonly && !onTightDisk(connection) && performance.now() < until)
      await makeUp();
  };
}

/** The oldest writes, as many as make up one short transaction; at least one. */
function takeBatch(waiting: Waiting[]): readonly Waiting[] {
  let count = 0;
  let rows = 0;
  for (const { work } of waiting) {
    rows += work.rows;
    if (count > 0 && rows > MAX_BATCH) break;
    count += 1;
  }
  return waiting.splice(0, count);
}

async function commit(
  connection: Connection,
  batch: readonly Waiting[],
  { transact, settle }: { transact: () => readonly Result[]; settle: (() => Promise<void>) | undefined },
): Promise<void> {
  try {
    const results = await retryBusy(transact, {
      deadlineMs: LOCK_DEADLINE_MS,
      isBusy,
      onGiveUp: (waitedMs) => lockedTooLong(connection.path, waitedMs),
    });
    await settle?.();
    for (const [index, result] of results.entries()) answer(batch[index], result, connection.path);
  } catch (error) {
    const failure = translateSqliteError(error, connection.path);
    for (const { reject } of batch) reject(failure);
  }
}

function runFew(connection: Connection, indexer: SearchIndexer, batch: readonly Waiting[]): readonly Result[] {
  const [only] = batch;
  return connection.transact(() => {
    const results: readonly Result[] =
      batch.length === 1 && only !== undefined
        ? [{ status: 'ok', value: only.work.write() }]
        : batch.map(({ work }) => runInside(connection, work));
    indexer.catchUp();
    return results;
  });
}

/** Where many write at once, the search index follows when they pause: it takes longer than everything else together. */
function runMany(connection: Connection, indexer: SearchIndexer, batch: readonly Waiting[]): readonly Result[] {
  return connection.transactLoosely(() => {
    const results = batch.map(({ work }) => runInside(connection, work));
    indexer.putOff();
    return results;
  });
}

/** A nested transaction is a savepoint: what fails is rolled back alone, unless SQLite gave up the whole transaction. */
function runInside(connection: Connection, work: Work<unknown>): Result {
  try {
    return { status: 'ok', value: connection.transact(() => work.write()) };
  } catch (error) {
    if (isBusy(error) || !connection.raw.inTransaction) throw error;
    return { status: 'failed', error };
  }
}

function answer(entry: Waiting | undefined, result: Result, path: string): void {
  if (result.status === 'ok') entry?.resolve(result.value as never);
  else entry?.reject(translateSqliteError(result.error, path));
}
