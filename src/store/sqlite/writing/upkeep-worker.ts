import { parentPort, workerData } from 'node:worker_threads';
import { leaveOutIndexes } from '../../../platform/sqlite/damaged-pages.ts';
import { addToIndexes, mergePages } from '../search/search-index.ts';
import { openBeside } from '../database/connection.ts';
import { emptyLog } from '../database/empty-log.ts';
import { findDamage } from './find-damage.ts';
import type { UpkeepTask } from './upkeep-thread.ts';

// This file runs in a thread of its own: the other side of upkeep-thread.ts. A task that fails is answered with undefined.
const db = openBeside(String(workerData));
parentPort?.on('message', (task: UpkeepTask) => {
  if (task.kind === 'end') {
    db[Symbol.dispose]();
    parentPort?.close();
  } else parentPort?.postMessage(attempt(task));
});

function attempt(task: UpkeepTask): unknown {
  try {
    if (task.kind === 'index') return db.transactLoosely(() => addToIndexes(db, task.mostBytes));
    if (task.kind === 'merge') return db.transactLoosely(() => mergePages(db, task.pages));
    if (task.kind === 'damage') return damage();
    if (task.kind === 'emptyLog') return emptyLog(db.raw);
    const [row] = db.raw.pragma('wal_checkpoint(PASSIVE)') as readonly { readonly log: number }[];
    return row?.log;
  } catch {
    return undefined;
  }
}

/** On a connection of its own, which sees no search index. */
function damage(): string {
  using asking = openBeside(String(workerData));
  leaveOutIndexes(asking.raw);
  return findDamage(asking) ?? '';
}
