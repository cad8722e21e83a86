import type { Problem } from '../../core/problem.ts';
import type { Clock, EpochMs } from '../../core/time.ts';

import { databaseUse } from '../../platform/sqlite/database-holders.ts';
import { databaseStamp } from '../../platform/sqlite/database-stamp.ts';
import { readGuest } from '../../platform/sqlite/guest-database.ts';
import { RECENT_MS } from '../file-home/recently-used.ts';
import { countRow, type RowCount } from './count-row.ts';
import type { FoundRow, RowAgent, RowSession } from './row-agent.ts';
import { whyUnread } from './why-unread.ts';

export interface RowLook {
  /** In the order in which they began, database by database. */
  readonly sessions: readonly FoundRow[];
  readonly byId: ReadonlyMap<string, FoundRow>;
  readonly problems: readonly Problem[];
}

/** The sessions of a home that are rows, as whoever reads it shares them: what was read once is not read again until it changes. */
export interface Rows {
  readonly agent: RowAgent;
  /** All of them. A database that cannot be read is a problem, and what the others tell is there. */
  look(signal?: AbortSignal): Promise<RowLook>;
  /** What only a reading of all of a session tells. */
  count(row: FoundRow): Promise<RowCount>;
}

interface ReadDatabase {
  readonly stamp: string;
  readonly sessions: readonly RowSession[];
  readonly problem?: Problem;
}

export interface RowPlace {
  readonly home: string;
  readonly agent: RowAgent;
  readonly clock: Clock;
}

export function openRows({ home, agent, clock }: RowPlace): Rows {
  const known = new Map<string, ReadDatabase>();
  const counted = new Map<string, { readonly mark: string; readonly count: RowCount }>();
  const read = async (path: string, signal?: AbortSignal): Promise<ReadDatabase> => {
    const stamp = databaseStamp([path]);
    const before = known.get(path);
    if (before?.stamp === stamp) return before;
    const found = { stamp, ...(await readDatabase(agent, path, signal)) };
    // Times are told in steps: what was written a moment ago may be written once more and keep its time.
    if (databaseStamp([path]) === stamp) known.set(path, found);
    return found;
  };
  return {
    agent,
    async look(signal) {
      const sessions: FoundRow[] = [];
      const problems: Problem[] = [];
      const byId = new Map<string, FoundRow>();
      for (const path of agent.databases(home)) {
        const { sessions: rows, problem } = await read(path, signal);
        if (problem !== undefined) problems.push(problem);
        const isActive = activity(path, clock.now());
        for (const row of rows) {
          // Copies of a session that its agent moved between databases are one session.
          if (byId.has(row.id)) continue;
          const found = { ...row, database: path, active: isActive(row) };
          byId.set(row.id, found);
          sessions.push(found);
        }
      }
      return { sessions, byId, problems };
    },
    async count(row) {
      const mark = [row.lastActiveAt, row.messageRows, row.rowBytes].join(' ');
      const before = counted.get(row.id);
      if (before?.mark === mark) return before.count;
      const count = await countRow(agent, row);
      counted.set(row.id, { mark, count });
      return count;
    },
  };
}

async function readDatabase(
  agent: RowAgent,
  path: string,
  signal?: AbortSignal,
): Promise<Pick<ReadDatabase, 'sessions' | 'problem'>> {
  try {
    return await readGuest(path, async (guest) => {
      const sessions: RowSession[] = [];
      for await (const row of agent.sessions(guest, signal)) sessions.push(row);
      return { sessions };
    });
  } catch (error) {
    signal?.throwIfAborted();
    const message = `Its sessions cannot be read. ${whyUnread(error)} They are left alone.`;
    return { sessions: [], problem: { kind: 'database-unreadable', subject: path, message } };
  }
}

/**
 * Nobody tells which session is open. While a process has the database open, or nobody can say whether one has, whatever was used within
 * a day and whatever stands in the middle of an answer counts as in use.
 */
function activity(path: string, now: EpochMs): (row: RowSession) => boolean {
  const use = databaseUse(path);
  if (use === 'closed') return () => false;
  return ({ lastActiveAt, unfinished = false }) => lastActiveAt > now - RECENT_MS || (unfinished && use === 'open');
}
