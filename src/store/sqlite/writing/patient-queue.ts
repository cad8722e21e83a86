import { MAX_BATCH } from '../../../core/stores/session-writer.ts';
import { wait } from '../../../platform/machine/wait.ts';
import type { Connection } from '../database/connection.ts';
import { keepLogShort } from '../database/tight-disk.ts';
import type { WriteQueue } from './write-queue.ts';

/** Work that can be cut into steps, and the most of it that one step may do. */
const MOST = { messages: MAX_BATCH, sessions: 100, pages: 512, index: 64 } as const;

/**
 * Writes that no user waits for. Each transaction is short, and while other processes write too there are pauses between them, in
 * which whoever waits for the lock finds it free: SQLite has no queue for it, so one that tries again at once always wins.
 */
export interface PatientQueue extends WriteQueue {
  /**
   * Runs a part of the work in a transaction of a few milliseconds. `limit` is how much of it fits, learned from earlier steps;
   * what is returned, here and there, is how much was done.
   */
  step(kind: keyof typeof MOST, write: (limit: number) => number): Promise<number>;
}

/**
 * How long a step should take: while nobody else writes, and while others do. Neither counts the commit, which waits for the disk
 * and can take a few times as long, because the search index does most of its work there.
 */
const STEP_MS = { alone: 30, shared: 1.5 } as const;
const LEAST = 8;
/** So long the lock may be held before a pause is due. */
const HELD_MS = 2;
/** The shortest pause: as long as the longest of SQLite's own waits for a lock, which are 1, 2 and 5 ms here. */
const PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 25;
/** So long after a write by another process more of them are expected. */
const BUSY_MS = 1000;

export function createPatientQueue(db: Connection, queue: WriteQueue): PatientQueue {
  const limits: Record<keyof typeof MOST, number> = { ...MOST };
  const others = watchOthers(db);
  let heldMs = 0;
  const run: WriteQueue['run'] = async (write, rows) => {
    if (heldMs >= HELD_MS && others.write()) {
      // Others have the lock for as long as it was kept from them.
      await wait(Math.min(LONGEST_PAUSE_MS, Math.max(PAUSE_MS, heldMs)));
      heldMs = 0;
    }
    let lockedAt = 0;
    const result = await queue.run(() => {
      lockedAt = performance.now();
      return write();
    }, rows);
    heldMs += performance.now() - lockedAt;
    keepLogShort(db);
    return result;
  };
  return {
    run,
    settled: () => queue.settled(),
    add: (work) => queue.add(work),
    isLast: (work) => queue.isLast(work),
    indexed: () => queue.indexed(),
    caughtUp: () => queue.caughtUp(),
    letIndexGo: () => queue.letIndexGo(),
    step(kind, write) {
      const limit = limits[kind];
      return run(() => {
        const startedAt = performance.now();
        const done = write(limit);
        const fits = (done * STEP_MS[others.write() ? 'shared' : 'alone']) / (performance.now() - startedAt);
        // One step that was interrupted, or had next to nothing to do, must not count for much.
        const next = Math.min(limit * 2, Math.max(limit / 2, fits));
        if (done > 0) limits[kind] = Math.min(MOST[kind], Math.max(LEAST, Math.round(next)));
        return done;
      }, limit);
    },
  };
}

/** Tells whether other connections have written within the last moment. */
function watchOthers({ raw }: Connection) {
  const version = () => Number(raw.pragma('data_version', { simple: true }));
  let seen = version();
  let busyUntil = 0;
  return {
    write(): boolean {
      const now = performance.now();
      const current = version();
      if (current !== seen) busyUntil = now + BUSY_MS;
      seen = current;
      return now < busyUntil;
    },
  };
}
