import type { ItemOutcome } from '../../../core/retention/run.ts';
import { IN_USE } from '../../../core/sessions/in-use.ts';
import {
  type FileMover,
  type HideOptions,
  readFingerprint,
  type SessionTrash,
  sessionFingerprint,
  type TakeOptions,
  type TrashRequest,
} from '../../../core/stores/session-trash.ts';
import type { TranscriptMark } from '../../../core/sessions/transcript.ts';
import type { Clock, EpochMs } from '../../../core/time.ts';
import type { Connection } from '../database/connection.ts';
import { databaseBytes } from '../database/database-size.ts';
import { giveBack } from '../writing/give-back.ts';
import type { PatientQueue } from '../writing/patient-queue.ts';
import { mustShrink } from '../writing/shrink-indexes.ts';
import { conversationObstacle } from '../sessions/conversation-obstacle.ts';
import { dropRows, writeLedger } from '../sessions/session-removal.ts';
import { factsOf, type SessionRow } from '../../rows/session-rows.ts';
import { rowUse } from '../sessions/session-uses.ts';
import { findKeptRow, findRow } from '../sessions/session-writes.ts';
import { forgetAnswers } from './forget-answers.ts';

/** Takes sessions out of sight and back, by a state in their row. */
export function createSessionTrash(db: Connection, queue: PatientQueue, clock: Clock): SessionTrash {
  const each = async (requests: readonly TrashRequest[], act: (request: TrashRequest) => ItemOutcome) => {
    const outcomes: ItemOutcome[] = [];
    while (outcomes.length < requests.length) {
      let some: readonly ItemOutcome[] = [];
      await queue.step('sessions', (limit) => {
        some = requests.slice(outcomes.length, outcomes.length + limit).map(act);
        return some.length;
      });
      outcomes.push(...some);
    }
    return outcomes;
  };
  return {
    hide: (run, requests, options) =>
      each(requests, (request) => hide(db, { run, request, ...options, now: clock.now() })),
    show: (run, requests, files) => each(requests, (request) => show(db, { run, request, files })),
    async drop(run, requests) {
      await forgetAnswers(db, queue, new Set(requests.map(({ id }) => id)));
      const keys = requests.flatMap(({ number }) => hiddenRow(db, run, number)?.key ?? []);
      if (keys.length > 0) await dropRows(db, queue, keys);
    },
    takeFiles: (run, request, options) => queue.run(() => takeFiles(db, { run, request, ...options })),
    returnFiles: (run, request, files) => queue.run(() => returnFiles(db, { run, request, files })),
    sizeBytes: async () => databaseBytes(db),
    hiddenBytes: async () => hiddenBytes(db),
    owesSpace: async () => mustShrink(db),
    giveBack: ({ erase = false, signal } = {}) => giveBack(db, queue, { now: clock.now(), erase, signal }),
  };
}

export interface Step {
  readonly run: string;
  readonly request: TrashRequest;
  readonly files: FileMover;
}

function hide(db: Connection, step: Step & HideOptions & { readonly now: number }): ItemOutcome {
  const { run, request, files, now } = step;
  const { number, id } = request;
  if (hiddenRow(db, run, number) !== undefined) {
    // Hidden before a crash, and a power cut may have undone the move. What is under an id in use again belongs to another.
    if (findRow(db, id) === undefined) files.take(request);
    return { number, status: 'done' };
  }
  const row = takeableRow(db, step);
  if (typeof row === 'string') return skipped(number, row);
  return hideRow(db, row, { run, number, now });
}

/** Takes a row out of sight, with its trace in the ledger. */
export function hideRow(
  db: Connection,
  row: SessionRow,
  { run, number, now }: { readonly run: string; readonly number: number; readonly now: EpochMs },
): ItemOutcome {
  writeLedger(db, row, { now, run });
  // The id is free at once: no caller's id can hold a control character.
  db.sql(`UPDATE sessions SET state = 'trashed', id = char(1) || key, run_id = ?, run_number = ? WHERE key = ?`).run(
    run,
    number,
    row.key,
  );
  return { number, status: 'done' };
}

/** The row of a session whose files were just taken, or the sentence that says why it stays. */
export function takeableRow(db: Connection, step: Step & (HideOptions | TakeOptions)): SessionRow | string {
  const { request, files, deadHolders } = step;
  const row = findRow(db, request.id);
  // Files alone may go from any part of a conversation.
  const leaves = !('part' in step);
  const obstacle =
    row === undefined
      ? 'It is gone already.'
      : (obstacleTo(db, row, { request, deadHolders, leaves }) ?? files.take(request));
  if (row !== undefined && obstacle === undefined) return row;
  files.letGo(request);
  return obstacle ?? '';
}

/** Looked at under the write lock, so that nothing can change between the look and the step. */
function obstacleTo(
  db: Connection,
  row: SessionRow,
  { request, deadHolders, leaves }: { request: TrashRequest; deadHolders: readonly string[]; leaves: boolean },
): string | undefined {
  // Whatever a plan says, and whoever wrote it.
  if (row.pinned === 1) return 'It is pinned.';
  const { own, conversationAt: usedAt = row.last_active_at } = readFingerprint(request.fingerprint);
  if (sessionFingerprint(factsOf(row)) !== own) return 'It has changed since the plan was made.';
  const useNow = (part: SessionRow) => rowUse(db, part, deadHolders);
  const use = useNow(row);
  if (use !== undefined) return IN_USE[use];
  return leaves ? conversationObstacle(db, row, { isUsed: (part) => useNow(part) !== undefined, usedAt }) : undefined;
}

function show(db: Connection, { run, request, files }: Step): ItemOutcome {
  const { number, id } = request;
  const row = hiddenRow(db, run, number);
  const taken = findKeptRow(db, id) !== undefined;
  if (row === undefined && !taken) return skipped(number, 'Its messages are gone for good.');
  if (row !== undefined && taken) return skipped(number, 'Another session has its id by now.');
  const obstacle = files.bringBack(request);
  // Shown before a crash: the row is live again, under its own id.
  if (row === undefined) return { number, status: 'done' };
  if (obstacle !== undefined) return skipped(number, obstacle);
  db.sql(`UPDATE sessions SET state = 'live', id = ?, run_id = NULL, run_number = NULL WHERE key = ?`).run(id, row.key);
  db.sql('DELETE FROM ledger WHERE run_id = ? AND id = ?').run(run, id);
  return { number, status: 'done' };
}

/** What a row said of files that were taken, and which row: its id may be another's by the time they come back. */
interface TakenFiles {
  readonly key: number;
  /** Absent when only dumps were taken. */
  readonly mark?: TranscriptMark;
  readonly dumpBytes: number;
}

function takeFiles(db: Connection, step: Step & TakeOptions): ItemOutcome {
  const { run, request, part, files } = step;
  const { number, id } = request;
  if (takenBefore(db, run, number) !== undefined) {
    // A power cut may have undone the move. Files that were begun since are not what was taken.
    const now = findRow(db, id);
    if (now?.dump_bytes === 0 && (part === 'dumps' || now.transcript_bytes === 0)) files.take(request);
    return { number, status: 'done' };
  }
  const row = takeableRow(db, step);
  if (typeof row === 'string') return skipped(number, row);
  const taken: TakenFiles = {
    key: row.key,
    ...(part === 'all' && { mark: { seq: row.transcript_seq, sizeBytes: row.transcript_bytes } }),
    dumpBytes: row.dump_bytes,
  };
  remember(db, step, taken);
  db.sql('UPDATE sessions SET dump_bytes = 0 WHERE key = ?').run(row.key);
  if (part === 'all') {
    // A transcript begun after this starts with the next message: what came before is in the database.
    db.sql('UPDATE sessions SET transcript_bytes = 0, transcript_seq = last_seq WHERE key = ?').run(row.key);
  }
  return { number, status: 'done' };
}

function returnFiles(db: Connection, step: Step): ItemOutcome {
  const { run, request, files } = step;
  const { number, id } = request;
  const taken = takenBefore(db, run, number);
  if (taken === undefined) {
    // Returned before a crash, and a power cut may have undone the move.
    const left = files.bringBack(request);
    return left === undefined ? { number, status: 'done' } : skipped(number, left);
  }
  const row = findRow(db, id);
  if (row?.key !== taken.key) return skipped(number, 'Its session is not there.');
  const obstacle = files.bringBack(request);
  if (obstacle !== undefined) return skipped(number, obstacle);
  // What was begun since is not what comes back.
  if (row.dump_bytes === 0) db.sql('UPDATE sessions SET dump_bytes = ? WHERE key = ?').run(taken.dumpBytes, row.key);
  if (taken.mark !== undefined && row.transcript_bytes === 0) {
    const { seq, sizeBytes } = taken.mark;
    db.sql('UPDATE sessions SET transcript_seq = ?, transcript_bytes = ? WHERE key = ?').run(seq, sizeBytes, row.key);
  }
  remember(db, step, undefined);
  return { number, status: 'done' };
}

function remember(db: Connection, { run, request }: Step, taken: TakenFiles | undefined): void {
  const text = taken === undefined ? null : JSON.stringify(taken);
  db.sql('UPDATE run_items SET taken = ? WHERE run_id = ? AND number = ?').run(text, run, request.number);
}

function takenBefore(db: Connection, run: string, number: number): TakenFiles | undefined {
  const text = db
    .sql<[string, number], string | null>('SELECT taken FROM run_items WHERE run_id = ? AND number = ?')
    .pluck()
    .get(run, number);
  return text === undefined || text === null ? undefined : (JSON.parse(text) as TakenFiles);
}

/** The row of what is in the trash of a run under this number. */
export function hiddenRow(db: Connection, run: string, number: number): SessionRow | undefined {
  return db
    .sql<[string, number], SessionRow>('SELECT * FROM sessions WHERE run_id = ? AND run_number = ?')
    .get(run, number);
}

export function skipped(number: number, detail: string): ItemOutcome {
  return { number, status: 'skipped', detail };
}

/** Of what was archived before it went into the trash nothing is here. */
function hiddenBytes(db: Connection): ReadonlyMap<string, number> {
  const sums = db.sql<
    [],
    { run: string; bytes: number }
  >(`SELECT run_id AS run, sum(content_bytes) AS bytes FROM sessions
    WHERE state <> 'live' AND state = 'trashed' AND key NOT IN (SELECT session_key FROM archives) GROUP BY run_id`);
  return new Map(sums.all().map(({ run, bytes }) => [run, bytes]));
}
