import type { LedgerEntry } from '../../../core/sessions/session.ts';
import type { EpochMs } from '../../../core/time.ts';
import { bindRowLine } from '../../../platform/sqlite/row-lines.ts';
import { count, instant, optional, text } from '../database/cell-values.ts';
import type { TableLines } from '../database/record-tables.ts';
import { sumByModel } from '../sessions/hermes-usage.ts';
import type { SessionRecord } from './session-record.ts';

/** The trace that a session leaves, from its record. */
export function hermesLedgerEntry(record: SessionRecord, removedAt: EpochMs): LedgerEntry {
  const [session = {}] = rowsOf(record.session);
  const usage = record.side.find(({ table }) => table === 'session_model_usage');
  const startedAt = instant(session['started_at']) ?? 0;
  const endedAt = instant(session['ended_at']);
  return {
    id: record.id,
    source: text(session['source']) ?? 'unknown',
    ...optional('title', text(session['title'])),
    ...optional('workdir', text(session['cwd'])),
    startedAt,
    lastActiveAt: instant(session['last_activity_at']) ?? endedAt ?? startedAt,
    ...optional('endedAt', endedAt),
    ...optional('endReason', text(session['end_reason'])),
    messageCount: record.chunks.reduce((sum, chunk) => sum + chunk.count, 0),
    toolCallCount: count(session['tool_call_count']),
    usageByModel: sumByModel(usage === undefined ? [] : rowsOf(usage)),
    removedAt,
  };
}

type Row = Readonly<Record<string, unknown>>;

function rowsOf({ columns, lines }: TableLines): Row[] {
  return lines.map((line) => {
    const { values } = bindRowLine(line);
    return Object.fromEntries(columns.map((column, at) => [column, values[at]]));
  });
}
