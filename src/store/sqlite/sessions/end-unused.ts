import type { EndUnusedOptions, UnusedSession } from '../../../core/stores/session-writer.ts';
import type { EpochMs } from '../../../core/time.ts';
import type { Connection } from '../database/connection.ts';
import type { PatientQueue } from '../writing/patient-queue.ts';
import { rowUse } from './session-uses.ts';
import { endSession, findRow } from './session-writes.ts';

export interface EndUnusedParts {
  readonly db: Connection;
  readonly queue: PatientQueue;
  readonly now: EpochMs;
}

/** Ends sessions that are in use only because they are open, in short steps. Returns the ids of those it ended. */
export async function endUnused(
  { db, queue, now }: EndUnusedParts,
  sessions: readonly UnusedSession[],
  { reason, deadHolders }: EndUnusedOptions,
): Promise<readonly string[]> {
  const ended: string[] = [];
  for (let next = 0; next < sessions.length; ) {
    let some: readonly UnusedSession[] = [];
    next += await queue.step('sessions', (limit) => {
      const looked = sessions.slice(next, next + limit);
      some = looked.filter((session) => isUnused(db, session, deadHolders));
      for (const { id } of some) endSession(db, { id, reason, now });
      return looked.length;
    });
    ended.push(...some.map(({ id }) => id));
  }
  return ended;
}

/** Whether a session is as it was when it was looked at, and nothing but that it is open speaks for its use. */
function isUnused(db: Connection, seen: UnusedSession, deadHolders: readonly string[]): boolean {
  const row = findRow(db, seen.id);
  // Its time need not change by a message: the clock may have gone back, or stand still.
  if (row === undefined || row.message_count !== seen.messageCount) return false;
  return row.last_active_at === seen.lastActiveAt && rowUse(db, row, deadHolders) === 'open';
}
