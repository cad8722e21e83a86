import { statSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import { wait } from '../../../platform/machine/wait.ts';

/**
 * The log of a database is never larger than this and one transaction. SQLite moves the log into the database beside those who
 * write, and begins it anew only when it has caught up with them: with a small share of the processor it never does, and the log
 * grows for as long as the flood lasts. So whoever is about to write looks at the log first, and waits until it is empty.
 */
export const MOST_LOG_BYTES = 64 * 1024 * 1024;

/**
 * A reader keeps the log from being emptied until it is done, which is milliseconds later, or as late as a copy of the whole
 * database takes. It slows those who write; a reader that was stopped must not stop them.
 */
const PATIENCE_MS = 1000;
const AGAIN_MS = 10;

/** Whether nobody should write before the log was emptied. Every writer of every process asks this, so no log outgrows them. */
export function isLogFull({ path, raw }: { readonly path: string; readonly raw: Database }): boolean {
  if (raw.memory) return false;
  return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > MOST_LOG_BYTES;
}

/** Tries until the log is empty, or patience ends. What goes wrong meanwhile, as on a full disk, the write that follows says. */
export async function emptyLogPatiently(attempt: () => Promise<boolean>): Promise<void> {
  const until = performance.now() + PATIENCE_MS;
  try {
    while (!(await attempt()) && performance.now() < until) await wait(AGAIN_MS);
  } catch {
    // Said by whoever writes next, in the words of what it wanted to do.
  }
}
