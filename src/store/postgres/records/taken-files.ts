import { done, skip } from '../../../core/retention/item-outcome.ts';
import type { ItemOutcome } from '../../../core/retention/run.ts';
import type { TakeOptions } from '../../../core/stores/session-trash.ts';
import type { TranscriptMark } from '../../../core/sessions/transcript.ts';
import type { Sql } from '../database/sql.ts';
import { findRow, LOCKED } from '../sessions/session-writes.ts';
import { type Step, takeableRow } from './take-row.ts';

/** What a row said of files that were taken, and which row: its id may be another's by the time they come back. */
interface TakenFiles {
  readonly key: number;
  /** Absent when only dumps were taken. */
  readonly mark?: TranscriptMark;
  readonly dumpBytes: number;
}

/** Takes files away from a session that stays. */
export async function takeFiles(tx: Sql, step: Step & TakeOptions): Promise<ItemOutcome> {
  const { run, request, part, files } = step;
  if ((await takenBefore(tx, run, request.number)) !== undefined) {
    // A power cut may have undone the move. Files that were begun since are not what was taken.
    const now = await findRow(tx, request.id);
    if (now?.dump_bytes === 0 && (part === 'dumps' || now.transcript_bytes === 0)) files.take(request);
    return done(request);
  }
  const row = await takeableRow(tx, step);
  if (typeof row === 'string') return skip(request, row);
  const taken: TakenFiles = {
    key: row.key,
    ...(part === 'all' && { mark: { seq: row.transcript_seq, sizeBytes: row.transcript_bytes } }),
    dumpBytes: row.dump_bytes,
  };
  await remember(tx, step, taken);
  await tx.run('UPDATE coppice.sessions SET dump_bytes = 0 WHERE key = ?', row.key);
  if (part === 'all') {
    // A transcript begun after this starts with the next message: what came before is in the database.
    await tx.run('UPDATE coppice.sessions SET transcript_bytes = 0, transcript_seq = last_seq WHERE key = ?', row.key);
  }
  return done(request);
}

export async function returnFiles(tx: Sql, step: Step): Promise<ItemOutcome> {
  const { run, request, files } = step;
  const taken = await takenBefore(tx, run, request.number);
  if (taken === undefined) {
    // Returned before a crash, and a power cut may have undone the move.
    const left = files.bringBack(request);
    return left === undefined ? done(request) : skip(request, left);
  }
  const row = await findRow(tx, request.id, LOCKED);
  if (row?.key !== taken.key) return skip(request, 'Its session is not there.');
  const obstacle = files.bringBack(request);
  if (obstacle !== undefined) return skip(request, obstacle);
  // What was begun since is not what comes back.
  if (row.dump_bytes === 0) {
    await tx.run('UPDATE coppice.sessions SET dump_bytes = ? WHERE key = ?', taken.dumpBytes, row.key);
  }
  if (taken.mark !== undefined && row.transcript_bytes === 0) {
    const { seq, sizeBytes } = taken.mark;
    await tx.run(
      'UPDATE coppice.sessions SET transcript_seq = ?, transcript_bytes = ? WHERE key = ?',
      seq,
      sizeBytes,
      row.key,
    );
  }
  await remember(tx, step, undefined);
  return done(request);
}

async function remember(tx: Sql, { run, request }: Step, taken: TakenFiles | undefined): Promise<void> {
  const text = taken === undefined ? null : JSON.stringify(taken);
  await tx.run(
    'UPDATE coppice.run_items SET taken = ? WHERE space = :space AND run_id = ? AND number = ?',
    text,
    run,
    request.number,
  );
}

async function takenBefore(tx: Sql, run: string, number: number): Promise<TakenFiles | undefined> {
  const row = await tx.get<{ taken: string | null }>(
    'SELECT taken FROM coppice.run_items WHERE space = :space AND run_id = ? AND number = ? FOR UPDATE',
    run,
    number,
  );
  const text = row?.taken ?? undefined;
  return text === undefined ? undefined : (JSON.parse(text) as TakenFiles);
}
