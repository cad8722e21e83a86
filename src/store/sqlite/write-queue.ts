import { MAX_BATCH } from '../../core/session-store.ts';
import { retryBusy } from '../../platform/retry-busy.ts';
import { type Connection, LOCK_DEADLINE_MS } from './connection.ts';
import { indexMessages } from './search-index.ts';
import { isBusy, lockedTooLong, translateSqliteError } from './sqlite-errors.ts';

/**
 * All writes of a connection, one short transaction after another. Writes asked for at the same time share a transaction,
 * and so one wait for the disk; each of them succeeds or fails on its own. A promise resolves after the commit is durable.
 */
export interface WriteQueue {
  /** Runs a synchronous write inside a transaction. `rows` says how much it writes, to keep transactions short. */
  run<T>(write: () => T, rows?: number): Promise<T>;
  /** Resolves when everything asked for so far is done. */
  settled(): Promise<void>;
}

interface Waiting {
  readonly write: () => unknown;
  readonly rows: number;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

type Result =
  | { readonly status: 'ok'; readonly value: unknown }
  | { readonly status: 'failed'; readonly error: unknown };

export function createWriteQueue(connection: Connection): WriteQueue {
  const waiting: Waiting[] = [];
  let draining: Promise<void> | undefined;
  let crowded = false;

  async function drain(): Promise<void> {
    // Writes asked for in one go are all here after this. Where several callers write at once, a whole turn of the event loop
    // lets each of them come with its next one; a lone caller would only pay for it.
    await (crowded ? new Promise((resolve) => setImmediate(resolve)) : undefined);
    while (waiting.length > 0) {
      const batch = takeBatch(waiting);
      crowded = batch.length > 1;
      await commit(connection, batch);
    }
    draining = undefined;
  }

  return {
    run<T>(write: () => T, rows = 1): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        waiting.push({ write, rows, resolve, reject });
        draining ??= drain();
      });
    },
    async settled() {
      await draining;
    },
  };
}

/** The oldest writes, as many as make up one short transaction; at least one. */
function takeBatch(waiting: Waiting[]): readonly Waiting[] {
  let count = 0;
  let rows = 0;
  for (const next of waiting) {
    rows += next.rows;
    if (count > 0 && rows > MAX_BATCH) break;
    count += 1;
  }
  return waiting.splice(0, count);
}

async function commit(connection: Connection, batch: readonly Waiting[]): Promise<void> {
  try {
    const results = await retryBusy(() => runTogether(connection, batch), {
      deadlineMs: LOCK_DEADLINE_MS,
      isBusy,
      onGiveUp: (waitedMs) => lockedTooLong(connection.path, waitedMs),
    });
    for (const [index, result] of results.entries()) settle(batch[index], result, connection.path);
  } catch (error) {
    const failure = translateSqliteError(error, connection.path);
    for (const { reject } of batch) reject(failure);
  }
}

function runTogether(connection: Connection, batch: readonly Waiting[]): readonly Result[] {
  return connection.transact(() => {
    const [only] = batch;
    const results: readonly Result[] =
      batch.length === 1 && only !== undefined
        ? [{ status: 'ok', value: only.write() }]
        : batch.map(({ write }) => runInside(connection, write));
    indexMessages(connection);
    return results;
  });
}

/** A nested transaction is a savepoint: what fails is rolled back alone, unless SQLite gave up the whole transaction. */
function runInside(connection: Connection, write: () => unknown): Result {
  try {
    return { status: 'ok', value: connection.transact(write) };
  } catch (error) {
    if (isBusy(error) || !connection.raw.inTransaction) throw error;
    return { status: 'failed', error };
  }
}

function settle(entry: Waiting | undefined, result: Result, path: string): void {
  if (result.status === 'ok') entry?.resolve(result.value as never);
  else entry?.reject(translateSqliteError(result.error, path));
}
