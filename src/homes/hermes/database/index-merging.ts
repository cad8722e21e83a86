import type { Database } from 'better-sqlite3';
import { type SearchIndex, searchIndexes } from './search-indexes.ts';

/** Merges the search indexes in steps of their own, so that little is left for those that take sessions or bring them back. */
export interface IndexMerging {
  /** Told before each step that changes messages: now and then merges what is due. */
  due(): Promise<void>;
  /** Merges every index into one part: nothing is left in it of messages that are gone. */
  all(): Promise<void>;
}

export interface MergingParts {
  readonly db: Database;
  /** Carries out a step under the write lock. */
  readonly write: (step: () => boolean) => Promise<boolean>;
  /** The same for what can wait: false when something is in the way. */
  readonly tryToWrite: (step: () => boolean) => Promise<boolean>;
  readonly settle: () => Promise<void>;
}

export function createIndexMerging({ db, write, tryToWrite, settle }: MergingParts): IndexMerging {
  let known: readonly SearchIndex[] | undefined;
  const indexes = () => (known ??= searchIndexes(db));
  let steps = 0;
  return {
    async due() {
      steps += 1;
      if (steps % STEPS_A_MERGE !== 1) return;
      for (const { merge } of indexes()) {
        for (let round = 0, more = true; more && round < MERGES_A_TIME; round += 1) {
          more = await tryToWrite(() => forAWhile(merge));
        }
      }
    },
    async all() {
      for (const { mergeAll } of indexes()) {
        let first = true;
        const next = () => {
          const more = mergeAll(first);
          first = false;
          return more;
        };
        for (let round = 1; await write(() => forAWhile(next)); round += 1) {
          // The log would become as large as the index.
          if (round % ROUNDS_A_SYNC === 0) await settle();
        }
      }
    },
  };
}

/** Merges piece after piece while a step has time for it. Says whether there is more. */
function forAWhile(merge: () => boolean): boolean {
  const startedAt = performance.now();
  let more = true;
  while (more && performance.now() - startedAt < MERGING_MS) more = merge();
  return more;
}

/** A tenth of the 100 ms for which nobody may hold the write lock. */
const MERGING_MS = 10;
/** Each step adds a part to each index. SQLite begins to merge four of them by itself, and does with sixteen at any price. */
const STEPS_A_MERGE = 8;
/** What is left then can wait. */
const MERGES_A_TIME = 16;
const ROUNDS_A_SYNC = 100;
