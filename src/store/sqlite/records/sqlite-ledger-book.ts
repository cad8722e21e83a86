import type { LedgerBook } from '../../../core/stores/ledger-book.ts';
import type { LedgerEntry } from '../../../core/sessions/session.ts';
import type { Connection } from '../database/connection.ts';
import type { WriteQueue } from '../writing/write-queue.ts';

export function createLedgerBook(db: Connection, queue: WriteQueue): LedgerBook {
  return {
    write: (runId, entries) =>
      queue.run(() => {
        for (const entry of entries) writeEntry(db, runId, entry);
      }, entries.length),
    erase: (runId, ids) =>
      queue.run(() => {
        for (const id of ids) db.sql('DELETE FROM ledger WHERE run_id = ? AND id = ?').run(runId, id);
      }, ids.length),
    forgetNames: (runId) =>
      queue.run(() => {
        db.sql('UPDATE ledger SET title = NULL, workdir = NULL WHERE run_id = ?').run(runId);
      }),
  };
}

function writeEntry(db: Connection, runId: string, entry: LedgerEntry): void {
  db.sql(`INSERT INTO ledger (id, source, title, workdir, started_at, last_active_at, ended_at, end_reason,
    message_count, tool_call_count, usage_by_model, removed_at, run_id)
    SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM ledger WHERE run_id = ? AND id = ?)`).run(
    entry.id,
    entry.source,
    entry.title ?? null,
    entry.workdir ?? null,
    entry.startedAt,
    entry.lastActiveAt,
    entry.endedAt ?? null,
    entry.endReason ?? null,
    entry.messageCount,
    entry.toolCallCount,
    JSON.stringify(entry.usageByModel),
    entry.removedAt,
    runId,
    runId,
    entry.id,
  );
}
