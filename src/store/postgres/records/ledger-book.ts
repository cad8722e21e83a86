import type { LedgerBook } from '../../../core/stores/ledger-book.ts';
import type { LedgerEntry } from '../../../core/sessions/session.ts';
import type { Sql } from '../database/sql.ts';
import type { WriteTurn } from '../writing/write-turn.ts';
import { eraseTrace } from './take-row.ts';

export function createLedgerBook(write: WriteTurn): LedgerBook {
  return {
    write: (runId, entries) =>
      write(async (tx) => {
        for (const entry of entries) await writeEntry(tx, runId, entry);
      }),
    erase: (runId, ids) =>
      write(async (tx) => {
        for (const id of ids) await eraseTrace(tx, runId, id);
      }),
    forgetNames: (runId) =>
      write(async (tx) => {
        await tx.run(
          'UPDATE coppice.ledger SET title = NULL, workdir = NULL WHERE space = :space AND run_id = ?',
          runId,
        );
      }),
  };
}

async function writeEntry(tx: Sql, runId: string, entry: LedgerEntry): Promise<void> {
  const known = await tx.get(
    'SELECT 1 FROM coppice.ledger WHERE space = :space AND run_id = ? AND md5(id) = md5(?) AND id = ?',
    runId,
    entry.id,
    entry.id,
  );
  if (known !== undefined) return;
  await tx.run(
    `INSERT INTO coppice.ledger (space, id, source, title, workdir, started_at, last_active_at, ended_at, end_reason,
     message_count, tool_call_count, usage_by_model, removed_at, run_id) VALUES (:space, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    entry.id,
    entry.source,
    entry.title,
    entry.workdir,
    entry.startedAt,
    entry.lastActiveAt,
    entry.endedAt,
    entry.endReason,
    entry.messageCount,
    entry.toolCallCount,
    JSON.stringify(entry.usageByModel),
    entry.removedAt,
    runId,
  );
}
