import { Failure } from '../../../core/failure.ts';
import { checkImportedSession } from '../../../core/sessions/check-session.ts';
import type { ImportedSession, ImportStore } from '../../../core/stores/import-store.ts';
import type { Message } from '../../../core/sessions/message.ts';
import type { Connection } from '../database/connection.ts';
import type { PatientQueue } from '../writing/patient-queue.ts';
import type { RequestRows } from '../database/request-rows.ts';
import { countMessages, insertMessages } from './message-writes.ts';
import { dropRows } from './session-removal.ts';
import { GIVEN_COLUMNS, givenValues, type SessionRow } from '../../rows/session-rows.ts';
import { addUsage, refuseTaken } from './session-writes.ts';

/** Imports build a session out of sight, in short transactions, and show it in the last one. */
export function createImports(db: Connection, queue: PatientQueue, requests: Pick<RequestRows, 'once'>): ImportStore {
  return {
    async begin(session) {
      checkImportedSession(session);
      await dropUnfinished(db, queue, session.id);
      await queue.run(() => insertHidden(db, session));
    },
    async append(id, messages, { once } = {}) {
      await queue.run(() => requests.once(once, () => appendHidden(db, id, messages)), messages.length);
    },
    async finish(session, { once } = {}) {
      await queue.run(() => requests.once(once, () => show(db, session)));
    },
    async abandon(id) {
      await dropUnfinished(db, queue, id);
    },
  };
}

function hiddenRow(db: Connection, id: string): SessionRow | undefined {
  return db.sql<[string], SessionRow>(`SELECT * FROM sessions WHERE id = ? AND state = 'importing'`).get(id);
}

async function dropUnfinished(db: Connection, queue: PatientQueue, id: string): Promise<void> {
  const row = hiddenRow(db, id);
  if (row !== undefined) await dropRows(db, queue, [row.key]);
}

function insertHidden(db: Connection, session: ImportedSession): void {
  refuseTaken(db, session.id);
  db.sql(`INSERT INTO sessions (id, state, source, started_at, last_active_at) VALUES (?, 'importing', ?, ?, ?)`).run(
    session.id,
    session.source,
    session.startedAt,
    session.startedAt,
  );
}

function appendHidden(db: Connection, id: string, messages: readonly Message[]): void {
  const row = requireHidden(db, id);
  refuseDisorder(db, row, messages);
  const contentBytes = insertMessages(db, row.key, messages);
  countMessages(db, row.key, {
    fresh: messages,
    contentBytes,
    mark: { seq: 0, sizeBytes: 0 },
    now: row.last_active_at,
  });
}

/** A number means one message, and later ones are larger. */
function refuseDisorder(db: Connection, { key, id }: SessionRow, messages: readonly Message[]): void {
  const newest = db.sql<[number], { seq: number | null }>(`SELECT max(seq) AS seq FROM messages WHERE session_key = ?`);
  let last = newest.get(key)?.seq ?? 0;
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
function show(db: Connection, session: ImportedSession): void {
  checkImportedSession(session);
  const { key } = requireHidden(db, session.id);
  db.sql(`UPDATE sessions SET ${GIVEN_COLUMNS.map((column) => `${column} = ?`).join()},
    started_at = ?, last_active_at = ?, ended_at = ?, end_reason = ?, pinned = ?, state = 'live',
    last_seq = (SELECT coalesce(max(seq), 0) FROM messages WHERE session_key = sessions.key) WHERE key = ?`).run(
    ...givenValues(session),
    session.startedAt,
    session.lastActiveAt,
    session.endedAt ?? null,
    session.endReason ?? null,
    session.pinned ? 1 : 0,
    key,
  );
  for (const usage of session.usageByModel) addUsage(db, { id: session.id, report: usage, now: session.lastActiveAt });
}

function requireHidden(db: Connection, id: string): SessionRow {
  const row = hiddenRow(db, id);
  if (row === undefined) throw new Failure('refused', `The import of ${id} was abandoned or has finished.`);
  return row;
}
