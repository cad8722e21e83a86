import { MAX_BATCH, type EndUnusedOptions, type UnusedSession } from '../../../core/stores/session-writer.ts';
import type { EpochMs } from '../../../core/time.ts';
import type { Sql } from '../database/sql.ts';
import type { WriteTurn } from '../writing/write-turn.ts';
import { rowUse } from './session-uses.ts';
import { endSession, findRow, LOCKED } from './session-writes.ts';

/** Few enough that nobody waits long for the rows of one transaction. */
const STEP = MAX_BATCH / 10;

/** Ends sessions that are in use only because they are open, in short steps. Returns the ids of those it ended. */
export async function endUnused(
  write: WriteTurn,
  sessions: readonly UnusedSession[],
  { reason, deadHolders, now }: EndUnusedOptions & { readonly now: EpochMs },
): Promise<readonly string[]> {
  const ended: string[] = [];
  for (let first = 0; first < sessions.length; first += STEP) {
    const some = await write(async (tx) => {
      const ids: string[] = [];
      for (const session of sessions.slice(first, first + STEP)) {
        if (!(await isUnused(tx, session, deadHolders))) continue;
        await endSession(tx, { id: session.id, reason, now });
        ids.push(session.id);
      }
      return ids;
    });
    ended.push(...some);
  }
  return ended;
}

/** Whether a session is as it was when it was looked at, and nothing but that it is open speaks for its use. */
async function isUnused(tx: Sql, seen: UnusedSession, deadHolders: readonly string[]): Promise<boolean> {
  const row = await findRow(tx, seen.id, LOCKED);
  // Its time need not change by a message: the clock may have gone back, or stand still.
  if (row === undefined || row.message_count !== seen.messageCount) return false;
  return row.last_active_at === seen.lastActiveAt && (await rowUse(tx, row, deadHolders)) === 'open';
}
