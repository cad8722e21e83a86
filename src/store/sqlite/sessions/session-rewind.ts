import type { ItemOutcome } from '../../../core/retention/run.ts';
import type { Message } from '../../../core/sessions/message.ts';
import type { MessageRange } from '../../../core/stores/session-reader.ts';
import type { RewindRequest, SessionRewind } from '../../../core/stores/session-rewind.ts';
import type { Connection } from '../database/connection.ts';
import type { WriteQueue } from '../writing/write-queue.ts';
import { storedMessages } from './message-writes.ts';
import { findRow } from './session-writes.ts';

/** True in SQL for a message that was taken back. */
export const REWOUND = `EXISTS (SELECT 1 FROM rewinds WHERE rewinds.session_key = messages.session_key
  AND messages.seq > after_seq AND messages.seq <= rewinds.last_seq)`;

export function createRewind(db: Connection, queue: WriteQueue): SessionRewind {
  return {
    takeBack: (run, request) => queue.run(() => takeBack(db, run, request)),
    bringBack: (run, request) => queue.run(() => bringBack(db, run, request)),
  };
}

function takeBack(db: Connection, run: string, { number, id, afterSeq }: RewindRequest): ItemOutcome {
  const row = findRow(db, id);
  if (row === undefined) return { number, status: 'skipped', detail: 'The session is not there.' };
  // Taken back before a crash: what was said since is not part of it.
  db.sql('INSERT OR IGNORE INTO rewinds (session_key, run_id, after_seq, last_seq) VALUES (?, ?, ?, ?)').run(
    row.key,
    run,
    afterSeq,
    row.last_seq,
  );
  return { number, status: 'done' };
}

function bringBack(db: Connection, run: string, { number, id }: RewindRequest): ItemOutcome {
  const row = findRow(db, id);
  if (row === undefined) return { number, status: 'skipped', detail: 'The session is not there.' };
  const wentOn = db
    .sql<[number, string], number>(
      `SELECT 1 FROM messages WHERE session_key = ?
       AND seq > (SELECT last_seq FROM rewinds WHERE session_key = messages.session_key AND run_id = ?)
       AND NOT ${REWOUND} LIMIT 1`,
    )
    .get(row.key, run);
  if (wentOn !== undefined) return { number, status: 'skipped', detail: 'The conversation has gone on since.' };
  db.sql('DELETE FROM rewinds WHERE session_key = ? AND run_id = ?').run(row.key, run);
  return { number, status: 'done' };
}

/** The messages of a conversation as it stands: without those that were taken back, or with them and marked. */
export function* readConversation(
  db: Connection,
  sessionKey: number,
  { from = 1, to = Number.MAX_SAFE_INTEGER, last, rewound = false }: MessageRange,
): Generator<Message> {
  const stretches = db
    .sql<[number], Stretch>('SELECT after_seq, last_seq FROM rewinds WHERE session_key = ?')
    .all(sessionKey);
  const first = last === undefined ? from : Math.max(from, newestFrom(db, sessionKey, { count: last, rewound }));
  for (const message of storedMessages(db, sessionKey, { from: first, to })) {
    const hidden = stretches.some(({ after_seq, last_seq }) => message.seq > after_seq && message.seq <= last_seq);
    if (!hidden) yield message;
    else if (rewound) yield { ...message, rewound: true };
  }
}

interface Stretch {
  readonly after_seq: number;
  readonly last_seq: number;
}

/** The number at which the newest messages begin. Imports leave gaps, so messages are counted and not their numbers. */
function newestFrom(
  db: Connection,
  sessionKey: number,
  { count, rewound }: { count: number; rewound: boolean },
): number {
  const seq = db
    .sql<[number, number, number], number | null>(
      `SELECT min(seq) FROM (SELECT seq FROM messages WHERE session_key = ? AND (? = 1 OR NOT ${REWOUND})
       ORDER BY seq DESC LIMIT ?)`,
    )
    .pluck()
    .get(sessionKey, rewound ? 1 : 0, count);
  return seq ?? Number.POSITIVE_INFINITY;
}
