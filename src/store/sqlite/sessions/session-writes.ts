import { Failure } from '../../../core/failure.ts';
import {
  archivedSession,
  checkModel,
  checkNewSession,
  checkReason,
  checkTags,
  checkTitle,
  checkUsage,
  noSuchSession,
} from '../../../core/sessions/check-session.ts';
import { endedByAccident } from '../../../core/sessions/end-reasons.ts';
import type { NewSession, SessionChange, UsageReport } from '../../../core/sessions/session.ts';
import { shellWord } from '../../../core/shell-word.ts';
import type { EpochMs } from '../../../core/time.ts';
import { uuidV7 } from '../../../platform/machine/uuid-v7.ts';
import type { Connection } from '../database/connection.ts';
import { encodeTags, GIVEN_COLUMNS, givenValues, nanoUsd, type SessionRow } from '../../rows/session-rows.ts';

// Each function here runs inside a write transaction and checks its input before it changes anything.

/** Inserts a live session and returns its row. */
export function insertSession(db: Connection, session: NewSession, now: EpochMs): SessionRow {
  checkNewSession(session);
  const startedAt = session.startedAt ?? now;
  const id = session.id ?? uuidV7(startedAt);
  refuseTaken(db, id);
  if (session.parentId !== undefined && findKeptRow(db, session.parentId) === undefined) {
    throw new Failure('not-found', `The parent session ${session.parentId} does not exist.`);
  }
  db.sql(`INSERT INTO sessions (id, state, source, ${GIVEN_COLUMNS.join()}, started_at, last_active_at)
      VALUES (?, 'live', ?, ${GIVEN_COLUMNS.map(() => '?').join()}, ?, ?)`).run(
    id,
    session.source,
    ...givenValues(session),
    startedAt,
    startedAt,
  );
  return requireRow(db, id);
}

/** Applies what a person or program changed. Returns the row after the change. */
export function changeSession(db: Connection, id: string, change: SessionChange): SessionRow {
  const row = requireRow(db, id);
  if (change.title !== undefined) {
    checkTitle(change.title);
    db.sql('UPDATE sessions SET title = ? WHERE key = ?').run(change.title, row.key);
  }
  if (change.pinned !== undefined) {
    db.sql('UPDATE sessions SET pinned = ? WHERE key = ?').run(change.pinned ? 1 : 0, row.key);
  }
  if (change.model !== undefined) {
    checkModel(change.model);
    db.sql('UPDATE sessions SET model = ? WHERE key = ?').run(change.model, row.key);
  }
  if (change.addTags !== undefined || change.removeTags !== undefined) {
    db.sql('UPDATE sessions SET tags = ? WHERE key = ?').run(changedTags(row, change), row.key);
  }
  return requireRow(db, id);
}

/**
 * Ends a session. One that ended by accident, and would go on at the next message, can still be ended on purpose; any other keeps the
 * end it has. Time never runs backwards in a row, whatever the clock does.
 */
export function endSession(
  db: Connection,
  { id, reason, now }: { id: string; reason: string; now: EpochMs },
): SessionRow {
  checkReason(reason);
  const row = requireRow(db, id);
  if (row.ended_at === null || (endedByAccident(row.end_reason ?? undefined) && !endedByAccident(reason))) {
    db.sql('UPDATE sessions SET ended_at = max(?, last_active_at), end_reason = ? WHERE key = ?').run(
      now,
      reason,
      row.key,
    );
  }
  return requireRow(db, id);
}

/** Opens an ended session again, which counts as activity. */
export function resumeSession(db: Connection, id: string, now: EpochMs): SessionRow {
  const row = requireRow(db, id);
  if (row.ended_at !== null) {
    db.sql(`UPDATE sessions SET ended_at = NULL, end_reason = NULL, last_active_at = max(?, last_active_at)
      WHERE key = ?`).run(now, row.key);
  }
  return requireRow(db, id);
}

/** Adds to the usage of one model and to the session's totals. */
export function addUsage(db: Connection, { id, report, now }: { id: string; report: UsageReport; now: EpochMs }): void {
  checkUsage(report);
  const { key } = requireRow(db, id);
  const added = [
    report.inputTokens ?? 0,
    report.outputTokens ?? 0,
    report.cacheReadTokens ?? 0,
    report.cacheWriteTokens ?? 0,
    report.reasoningTokens ?? 0,
    nanoUsd(report.costUsd ?? 0),
  ];
  db.sql(`INSERT INTO usage VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
    ${COUNTERS.map((name) => countedUp(name, `excluded.${name}`)).join()}`).run(key, report.model, ...added);
  db.sql(`UPDATE sessions SET ${COUNTERS.map((name) => countedUp(name, '?')).join()},
    last_active_at = max(?, last_active_at) WHERE key = ?`).run(...added, now, key);
}

const COUNTERS = [
  'input_tokens',
  'output_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'reasoning_tokens',
  'cost_nano_usd',
];

/** No further than to the largest number that every program can read: what comes after a false report is still taken. */
function countedUp(name: string, added: string): string {
  return `${name} = min(${name} + ${added}, ${Number.MAX_SAFE_INTEGER})`;
}

/** The row of a session that users see, or undefined. */
export function findRow(db: Connection, id: string): SessionRow | undefined {
  return db.sql<[string], SessionRow>(`SELECT * FROM sessions WHERE id = ? AND state = 'live'`).get(id);
}

/** The row of a session that is live or archived, or undefined. */
export function findKeptRow(db: Connection, id: string): SessionRow | undefined {
  return db.sql<[string], SessionRow>(`SELECT * FROM sessions WHERE id = ? AND state IN ('live', 'archived')`).get(id);
}

/** The row of a live session, or the failure that says where it is. */
export function requireRow(db: Connection, id: string): SessionRow {
  const row = findRow(db, id);
  if (row === undefined) throw notLive(db, id);
  return row;
}

/** The failure for an id under which no session is live. */
export function notLive(db: Connection, id: string): Failure {
  return findKeptRow(db, id) === undefined ? noSuchSession(id) : archivedSession(id);
}

/** Refuses an id under which there is anything. */
export function refuseTaken(db: Connection, id: string): void {
  const state = db.sql<[string], string>('SELECT state FROM sessions WHERE id = ?').pluck().get(id);
  if (state === undefined) return;
  if (state === 'importing') {
    throw new Failure('refused', `A session with the id ${id} is being imported, or its import was cut short.`, {
      hint: 'If no import is running, import the same file again first.',
    });
  }
  if (state === 'archived') {
    throw new Failure('refused', `The id ${id} belongs to an archived session.`, {
      hint: `Restore it with: coppice sessions restore ${shellWord(id)}`,
    });
  }
  throw new Failure('refused', `There is already a session with the id ${id}.`, {
    hint: 'List sessions with: coppice sessions list',
  });
}

function changedTags(row: SessionRow, change: SessionChange): string {
  checkTags(change.addTags ?? []);
  const removed = new Set(change.removeTags ?? []);
  const kept = (JSON.parse(row.tags) as string[]).filter((tag) => !removed.has(tag));
  return encodeTags([...kept, ...(change.addTags ?? [])]);
}
