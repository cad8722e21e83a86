import { done } from '../../../core/retention/item-outcome.ts';
import type { ItemOutcome } from '../../../core/retention/run.ts';
import { IN_USE } from '../../../core/sessions/in-use.ts';
import {
  type FileMover,
  type HideOptions,
  readFingerprint,
  sessionFingerprint,
  type TakeOptions,
  type TrashRequest,
} from '../../../core/stores/session-trash.ts';
import { factsOf, type SessionRow } from '../../rows/session-rows.ts';
import type { Sql } from '../database/sql.ts';
import { conversationObstacle } from '../sessions/conversation-obstacle.ts';
import { writeLedger } from '../sessions/session-removal.ts';
import { rowUse } from '../sessions/session-uses.ts';
import { findRow, LOCKED } from '../sessions/session-writes.ts';

export interface Step {
  readonly run: string;
  readonly request: TrashRequest;
  readonly files: FileMover;
}

/** Takes a row out of sight, with its trace in the ledger. */
export async function hideRow(
  tx: Sql,
  row: SessionRow,
  { run, number, now }: { readonly run: string; readonly number: number; readonly now: number },
): Promise<ItemOutcome> {
  await writeLedger(tx, row, { now, run });
  // The id is free at once: no caller's id can hold a control character.
  await tx.run(
    `UPDATE coppice.sessions SET state = 'trashed', id = chr(1) || key, run_id = ?, run_number = ? WHERE key = ?`,
    run,
    number,
    row.key,
  );
  return done({ number });
}

/** The row of a session whose files were just taken, or the sentence that says why it stays. */
export async function takeableRow(tx: Sql, step: Step & (HideOptions | TakeOptions)): Promise<SessionRow | string> {
  const { request, files, deadHolders } = step;
  const row = await findRow(tx, request.id, LOCKED);
  // Files alone may go from any part of a conversation.
  const leaves = !('part' in step);
  const obstacle =
    row === undefined
      ? 'It is gone already.'
      : ((await obstacleTo(tx, row, { request, deadHolders, leaves })) ?? files.take(request));
  if (row !== undefined && obstacle === undefined) return row;
  files.letGo(request);
  return obstacle ?? '';
}

/** Looked at while the row is locked, so that nothing can change between the look and the step. */
async function obstacleTo(
  tx: Sql,
  row: SessionRow,
  { request, deadHolders, leaves }: { request: TrashRequest; deadHolders: readonly string[]; leaves: boolean },
): Promise<string | undefined> {
  // Whatever a plan says, and whoever wrote it.
  if (row.pinned === 1) return 'It is pinned.';
  const { own, conversationAt: usedAt = row.last_active_at } = readFingerprint(request.fingerprint);
  if (sessionFingerprint(factsOf(row)) !== own) return 'It has changed since the plan was made.';
  const useNow = (part: SessionRow) => rowUse(tx, part, deadHolders);
  const use = await useNow(row);
  if (use !== undefined) return IN_USE[use];
  const isUsed = async (part: SessionRow) => (await useNow(part)) !== undefined;
  return leaves ? conversationObstacle(tx, row, { isUsed, usedAt }) : undefined;
}

export async function eraseTrace(tx: Sql, run: string, id: string): Promise<void> {
  await tx.run(
    'DELETE FROM coppice.ledger WHERE space = :space AND run_id = ? AND md5(id) = md5(?) AND id = ?',
    run,
    id,
    id,
  );
}

/** The row of what is in the trash of a run under this number. */
export function hiddenRow(tx: Sql, run: string, number: number): Promise<SessionRow | undefined> {
  return tx.get<SessionRow>(
    'SELECT * FROM coppice.sessions WHERE space = :space AND run_id = ? AND run_number = ? FOR UPDATE',
    run,
    number,
  );
}
