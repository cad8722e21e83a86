import type { ItemOutcome } from '../../../core/retention/run.ts';
import { done, skip } from '../../../core/retention/item-outcome.ts';
import type { Message } from '../../../core/sessions/message.ts';
import type { MessageRange } from '../../../core/stores/session-reader.ts';
import type { RewindRequest, SessionRewind } from '../../../core/stores/session-rewind.ts';
import type { Sql } from '../database/sql.ts';
import type { WriteTurn } from '../writing/write-turn.ts';
import { storedMessages } from './message-writes.ts';
import { findRow, LOCKED } from './session-writes.ts';

/** True in SQL for a message that was taken back. */
export const REWOUND = `EXISTS (SELECT 1 FROM coppice.rewinds w WHERE w.session_key = messages.session_key
  AND messages.seq > w.after_seq AND messages.seq <= w.last_seq)`;

export function createRewind(write: WriteTurn): SessionRewind {
  return {
    takeBack: (run, request) => write((tx) => takeBack(tx, run, request)),
    bringBack: (run, request) => write((tx) => bringBack(tx, run, request)),
  };
}

async function takeBack(tx: Sql, run: string, request: RewindRequest): Promise<ItemOutcome> {
  const row = await findRow(tx, request.id, LOCKED);
  if (row === undefined) return skip(request, 'The session is not there.');
  // Taken back before a crash: what was said since is not part of it.
  await tx.run(
    'INSERT INTO coppice.rewinds (session_key, run_id, after_seq, last_seq) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
    row.key,
    run,
    request.afterSeq,
    row.last_seq,
  );
  return done(request);
}

async function bringBack(tx: Sql, run: string, request: RewindRequest): Promise<ItemOutcome> {
  const row = await findRow(tx, request.id, LOCKED);
  if (row === undefined) return skip(request, 'The session is not there.');
  const wentOn = await tx.get(
    `SELECT 1 FROM coppice.messages WHERE session_key = ?
     AND seq > (SELECT last_seq FROM coppice.rewinds WHERE session_key = messages.session_key AND run_id = ?)
     AND NOT ${REWOUND} LIMIT 1`,
    row.key,
    run,
  );
  if (wentOn !== undefined) return skip(request, 'The conversation has gone on since.');
  await tx.run('DELETE FROM coppice.rewinds WHERE session_key = ? AND run_id = ?', row.key, run);
  return done(request);
}

/** The messages of a conversation as it stands: without those that were taken back, or with them and marked. */
export async function* readConversation(
  sql: Sql,
  sessionKey: number,
  { from = 1, to = Number.MAX_SAFE_INTEGER, last, rewound = false }: MessageRange,
): AsyncGenerator<Message> {
  const stretches = await sql.all<Stretch>(
    'SELECT after_seq, last_seq FROM coppice.rewinds WHERE session_key = ?',
    sessionKey,
  );
  const first = last === undefined ? from : Math.max(from, await newestFrom(sql, sessionKey, { count: last, rewound }));
  for await (const message of storedMessages(sql, sessionKey, { from: first, to })) {
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
async function newestFrom(
  sql: Sql,
  sessionKey: number,
  { count, rewound }: { count: number; rewound: boolean },
): Promise<number> {
  const row = await sql.get<{ seq: number | null }>(
    `SELECT min(seq) AS seq FROM (SELECT seq FROM coppice.messages WHERE session_key = ? AND (?::boolean OR NOT ${REWOUND})
     ORDER BY seq DESC LIMIT ?) newest`,
    sessionKey,
    rewound,
    count < 0 || !Number.isFinite(count) ? null : count,
  );
  return row?.seq ?? Number.POSITIVE_INFINITY;
}
