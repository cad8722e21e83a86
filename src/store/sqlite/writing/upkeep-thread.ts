import { Worker } from 'node:worker_threads';
import type { Indexed } from '../search/search-index.ts';

/**
 * A second thread with a connection of its own to the database. It does one thing at a time, and answers undefined when that could
 * not be done, or when there is no thread.
 */
export interface UpkeepThread {
  /** Puts messages into the search indexes without merging them, no more than so many bytes of text, under the write lock. */
  index(mostBytes: number): Promise<Indexed | undefined>;
  /** Merges so many pages of the search indexes, under the write lock; whether there was anything to merge. */
  merge(pages: number): Promise<boolean | undefined>;
  /** Moves the log into the database as far as nobody has to wait for it; how many pages the log has. */
  moveLog(): Promise<number | undefined>;
  /** Moves all of it and empties the log, under the write lock; whether others let it. */
  emptyLog(): Promise<boolean | undefined>;
  /** What is wrong with the pages of the database; an empty text when nothing is. Nobody waits for it. */
  damage(): Promise<string | undefined>;
  /** Resolves when the thread and its connection are gone. */
  end(): Promise<void>;
}

export type UpkeepTask =
  | { readonly kind: 'index'; readonly mostBytes: number }
  | { readonly kind: 'merge'; readonly pages: number }
  | { readonly kind: 'moveLog' }
  | { readonly kind: 'emptyLog' }
  | { readonly kind: 'damage' }
  | { readonly kind: 'end' };

export function startUpkeepThread(database: string): UpkeepThread {
  const worker = startWorker(database);
  let answered: ((answer: unknown) => void) | undefined;
  let isGone = worker === undefined;
  const answer = (given?: unknown) => {
    // It keeps the process alive only while somebody waits for it.
    worker?.unref();
    answered?.(given);
    answered = undefined;
  };
  const gone = new Promise<void>((resolve) => {
    if (worker === undefined) resolve();
    // An error is followed by the exit.
    worker?.on('message', answer).on('error', () => undefined);
    worker?.on('exit', () => {
      isGone = true;
      answer();
      resolve();
    });
  });
  const ask = (task: UpkeepTask): Promise<unknown> =>
    new Promise((resolve) => {
      if (isGone) return resolve(undefined);
      answered = resolve;
      worker?.ref();
      worker?.postMessage(task);
    });
  return {
    // The casts are claims about upkeep-worker.ts.
    index: (mostBytes) => ask({ kind: 'index', mostBytes }) as Promise<Indexed | undefined>,
    merge: (pages) => ask({ kind: 'merge', pages }) as Promise<boolean | undefined>,
    moveLog: () => ask({ kind: 'moveLog' }) as Promise<number | undefined>,
    emptyLog: () => ask({ kind: 'emptyLog' }) as Promise<boolean | undefined>,
    damage: () => ask({ kind: 'damage' }) as Promise<string | undefined>,
    async end() {
      void ask({ kind: 'end' });
      await gone;
    },
  };
}

function startWorker(database: string): Worker | undefined {
  try {
    return new Worker(new URL('./upkeep-worker.js', import.meta.url), { workerData: database });
  } catch {
    return undefined;
  }
}
