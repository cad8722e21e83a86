import { Failure } from '../../../core/failure.ts';
import { checkImportedSession } from '../../../core/sessions/check-session.ts';
import type { ImportedSession, ImportStore } from '../../../core/stores/import-store.ts';
import type { Message } from '../../../core/sessions/message.ts';
import { GIVEN_COLUMNS, givenValues, type SessionRow } from '../../rows/session-rows.ts';
import type { RequestRows } from '../database/request-rows.ts';
import type { Sql } from '../database/sql.ts';
import type { WriteTurn } from '../writing/write-turn.ts';
import { countMessages, insertMessages } from './message-writes.ts';
import { dropRows } from './session-removal.ts';
import { addUsage, refuseTaken, setTitle } from './session-writes.ts';

/** Imports build a session out of sight, in short transactions, and show it in the last one. */
export function createImports(write: WriteTurn, requests: Pick<RequestRows, 'once'>): ImportStore {
  const dropUnfinished = async (id: string) => {
    const row = await write((tx) => hiddenRow(tx, id));
    if (row !== undefined) await dropRows(write, [row.key]);
  };
  return {
    async begin(session) {
      checkImportedSession(session);
      await dropUnfinished(session.id);
      await write((tx) => insertHidden(tx, session));
    },
    append: (id, messages, { once } = {}) =>
      write((tx) => requests.once(tx, once, () => appendHidden(tx, id, messages))),
    finish: (session, { once } = {}) => write((tx) => requests.once(tx, once, () => show(tx, session))),
    abandon: dropUnfinished,
  };
}

function hiddenRow(tx: Sql, id: string): Promise<SessionRow | undefined> {
  return tx.get<SessionRow>(
    `SELECT * FROM coppice.sessions WHERE space = :space AND id = ? AND state = 'importing' FOR UPDATE`,
    id,
  );
}

async function insertHidden(tx: Sql, session: ImportedSession): Promise<void> {
  const inserted = await tx.run(
    `INSERT INTO coppice.sessions (space, id, state, source, started_at, last_active_at)
     VALUES (:space, ?, 'importing', ?, ?, ?) ON CONFLICT (space, id) DO NOTHING`,
    session.id,
    session.source,
    session.startedAt,
    session.startedAt,
  );
  if (inserted === 0) await refuseTaken(tx, session.id);
}

async function appendHidden(tx: Sql, id: string, messages: readonly Message[]): Promise<void> {
  const row = await requireHidden(tx, id);
  await refuseDisorder(tx, row, messages);
  const contentBytes = await insertMessages(tx, row.key, messages);
  await countMessages(tx, row.key, { fresh: messages, contentBytes, now: row.last_active_at, transcriptSeq: 0 });
}

/** A number means one message, and later ones are larger. */
async function refuseDisorder(tx: Sql, { key, id }: SessionRow, messages: readonly Message[]): Promise<void> {
  const newest = await tx.get<{ seq: number | null }>(
    'SELECT max(seq) AS seq FROM coppice.messages WHERE session_key = ?',
    key,
  );
  let last = newest?.seq ?? 0;
  for (const { seq } of messages) {
    if (seq <= last) {
      throw new Failure('usage', `Message ${seq} of ${id} comes after message ${last}.`, {
        hint: 'Messages are imported in order, each with a larger number than the one before.',
      });
    }
    last = seq;
  }
}

/** Writes the facts and makes the session visible. `last_seq` is the number of its last message, gaps included. */
async function show(tx: Sql, session: ImportedSession): Promise<void> {
  checkImportedSession(session);
  const { key } = await requireHidden(tx, session.id);
  await tx.run(
    `UPDATE coppice.sessions SET ${GIVEN_COLUMNS.map((column) => `${column} = ?`).join()},
     started_at = ?, last_active_at = ?, ended_at = ?, end_reason = ?, pinned = ?, state = 'live',
     last_seq = (SELECT coalesce(max(seq), 0) FROM coppice.messages WHERE session_key = sessions.key) WHERE key = ?`,
    ...givenValues(session),
    session.startedAt,
    session.lastActiveAt,
    session.endedAt,
    session.endReason,
    session.pinned ? 1 : 0,
    key,
  );
  if (session.title !== undefined) await setTitle(tx, key, session.title);
  for (const usage of session.usageByModel) {
    await addUsage(tx, { id: session.id, report: usage, now: session.lastActiveAt });
  }
}

async function requireHidden(tx: Sql, id: string): Promise<SessionRow> {
  const row = await hiddenRow(tx, id);
  if (row === undefined) throw new Failure('refused', `The import of ${id} was abandoned or has finished.`);
  return row;
}
