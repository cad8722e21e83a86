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
import { fold } from '../../../core/sessions/filter-match.ts';
import { foldText } from '../../../core/sessions/search-terms.ts';
import type { NewSession, SessionChange, UsageReport } from '../../../core/sessions/session.ts';
import { shellWord } from '../../../core/shell-word.ts';
import type { EpochMs } from '../../../core/time.ts';
import { uuidV7 } from '../../../platform/machine/uuid-v7.ts';
import { encodeTags, GIVEN_COLUMNS, givenValues, nanoUsd, type SessionRow } from '../../rows/session-rows.ts';
import { digestOf } from '../database/bound-text.ts';
import type { Sql } from '../database/sql.ts';

// Each function here runs inside a transaction, checks its input before it changes anything, and locks the row of a session before it
// decides anything about it.

/** Inserts a live session and returns its row. */
export async function insertSession(tx: Sql, session: NewSession, now: EpochMs): Promise<SessionRow> {
  checkNewSession(session);
  const startedAt = session.startedAt ?? now;
  const id = session.id ?? uuidV7(startedAt);
  if (session.parentId !== undefined && !(await holdParent(tx, session.parentId))) {
    // Said first where both are wrong, as everywhere.
    await refuseTaken(tx, id);
    throw new Failure('not-found', `The parent session ${session.parentId} does not exist.`);
  }
  const row = await tx.get<SessionRow>(
    `INSERT INTO coppice.sessions (space, id, state, source, ${GIVEN_COLUMNS.join()}, started_at, last_active_at)
     VALUES (:space, ?, 'live', ?, ${GIVEN_COLUMNS.map(() => '?').join()}, ?, ?) ON CONFLICT (space, id) DO NOTHING RETURNING *`,
    id,
    session.source,
    ...givenValues(session),
    startedAt,
    startedAt,
  );
  if (row === undefined) throw await takenId(tx, id);
  if (session.title !== undefined) await setTitle(tx, row.key, session.title);
  return row;
}

/** Whoever takes the parent away waits until the child is there, and sees it. */
async function holdParent(tx: Sql, id: string): Promise<boolean> {
  const row = await tx.get(
    `SELECT key FROM coppice.sessions WHERE space = :space AND id = ? AND state IN ('live', 'archived') FOR SHARE`,
    id,
  );
  return row !== undefined;
}

/** What search and filters know of a title. */
export async function setTitle(tx: Sql, key: number, title: string): Promise<void> {
  await tx.run(
    `INSERT INTO coppice.titles (session_key, space, title, lowered, folded) VALUES (?, :space, ?, ?, ?)
     ON CONFLICT (session_key) DO UPDATE SET title = excluded.title, lowered = excluded.lowered, folded = excluded.folded`,
    key,
    title,
    fold(title),
    foldText(title),
  );
}

/** Applies what a person or program changed. Returns the row after the change. */
export async function changeSession(tx: Sql, id: string, change: SessionChange): Promise<SessionRow> {
  const row = await requireRow(tx, id);
  if (change.title !== undefined) checkTitle(change.title);
  if (change.model !== undefined) checkModel(change.model);
  const tags = change.addTags === undefined && change.removeTags === undefined ? row.tags : changedTags(row, change);
  await tx.run(
    'UPDATE coppice.sessions SET title = ?, pinned = ?, model = ?, tags = ? WHERE key = ?',
    change.title ?? row.title,
    change.pinned === undefined ? row.pinned : Number(change.pinned),
    change.model ?? row.model,
    tags,
    row.key,
  );
  if (change.title !== undefined) await setTitle(tx, row.key, change.title);
  return requireRow(tx, id);
}

/**
 * Ends a session. One that ended by accident, and would go on at the next message, can still be ended on purpose; any other keeps the
 * end it has. Time never runs backwards in a row, whatever the clock does.
 */
export async function endSession(
  tx: Sql,
  { id, reason, now }: { id: string; reason: string; now: EpochMs },
): Promise<SessionRow> {
  checkReason(reason);
  const row = await requireRow(tx, id);
  if (row.ended_at === null || (endedByAccident(row.end_reason ?? undefined) && !endedByAccident(reason))) {
    await tx.run(
      'UPDATE coppice.sessions SET ended_at = greatest(?, last_active_at), end_reason = ? WHERE key = ?',
      now,
      reason,
      row.key,
    );
  }
  return requireRow(tx, id);
}

/** Opens an ended session again, which counts as activity. */
export async function resumeSession(tx: Sql, id: string, now: EpochMs): Promise<SessionRow> {
  const row = await requireRow(tx, id);
  if (row.ended_at !== null) {
    await tx.run(
      `UPDATE coppice.sessions SET ended_at = NULL, end_reason = NULL, last_active_at = greatest(?, last_active_at)
       WHERE key = ?`,
      now,
      row.key,
    );
  }
  return requireRow(tx, id);
}

/** Adds to the usage of one model and to the session's totals. */
export async function addUsage(
  tx: Sql,
  { id, report, now }: { id: string; report: UsageReport; now: EpochMs },
): Promise<void> {
  checkUsage(report);
  const { key } = await requireRow(tx, id);
  const added = [
    report.inputTokens ?? 0,
    report.outputTokens ?? 0,
    report.cacheReadTokens ?? 0,
    report.cacheWriteTokens ?? 0,
    report.reasoningTokens ?? 0,
    nanoUsd(report.costUsd ?? 0),
  ];
  await tx.run(
    `INSERT INTO coppice.usage AS u VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (session_key, model_digest) DO UPDATE SET
     ${COUNTERS.map((name) => countedUp(name, `u.${name}`, `excluded.${name}`)).join()}`,
    key,
    digestOf(report.model),
    report.model,
    ...added,
  );
  await tx.run(
    `UPDATE coppice.sessions SET ${COUNTERS.map((name) => countedUp(name, name, '?::bigint')).join()},
     last_active_at = greatest(?, last_active_at) WHERE key = ?`,
    ...added,
    now,
    key,
  );
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
function countedUp(name: string, before: string, added: string): string {
  return `${name} = least(${before} + ${added}, ${Number.MAX_SAFE_INTEGER})`;
}

/** The row of a session that users see, or undefined. In a transaction that decides by it, it is asked for with `lock`. */
export async function findRow(sql: Sql, id: string, lock = ''): Promise<SessionRow | undefined> {
  return sql.get<SessionRow>(
    `SELECT * FROM coppice.sessions WHERE space = :space AND id = ? AND state = 'live' ${lock}`,
    id,
  );
}

export const LOCKED = 'FOR UPDATE';

/** The row of a session that is live or archived, or undefined. */
export async function findKeptRow(sql: Sql, id: string): Promise<SessionRow | undefined> {
  return sql.get<SessionRow>(
    `SELECT * FROM coppice.sessions WHERE space = :space AND id = ? AND state IN ('live', 'archived')`,
    id,
  );
}

/** The row of a live session, locked, or the failure that says where it is. */
export async function requireRow(tx: Sql, id: string): Promise<SessionRow> {
  const row = await findRow(tx, id, LOCKED);
  if (row === undefined) throw await notLive(tx, id);
  return row;
}

/** The same for whoever only reads. */
export async function readRow(sql: Sql, id: string): Promise<SessionRow> {
  const row = await findRow(sql, id);
  if (row === undefined) throw await notLive(sql, id);
  return row;
}

/** The failure for an id under which no session is live. */
export async function notLive(sql: Sql, id: string): Promise<Failure> {
  return (await findKeptRow(sql, id)) === undefined ? noSuchSession(id) : archivedSession(id);
}

/** Refuses an id under which there is anything. */
export async function refuseTaken(tx: Sql, id: string): Promise<void> {
  const row = await tx.get('SELECT key FROM coppice.sessions WHERE space = :space AND id = ?', id);
  if (row !== undefined) throw await takenId(tx, id);
}

async function takenId(tx: Sql, id: string): Promise<Failure> {
  const row = await tx.get<{ state: string }>('SELECT state FROM coppice.sessions WHERE space = :space AND id = ?', id);
  if (row?.state === 'importing') {
    return new Failure('refused', `A session with the id ${id} is being imported, or its import was cut short.`, {
      hint: 'If no import is running, import the same file again first.',
    });
  }
  if (row?.state === 'archived') {
    return new Failure('refused', `The id ${id} belongs to an archived session.`, {
      hint: `Restore it with: coppice sessions restore ${shellWord(id)}`,
    });
  }
  return new Failure('refused', `There is already a session with the id ${id}.`, {
    hint: 'List sessions with: coppice sessions list',
  });
}

function changedTags(row: SessionRow, change: SessionChange): string {
  checkTags(change.addTags ?? []);
  const removed = new Set(change.removeTags ?? []);
  const kept = (JSON.parse(row.tags) as string[]).filter((tag) => !removed.has(tag));
  return encodeTags([...kept, ...(change.addTags ?? [])]);
}
