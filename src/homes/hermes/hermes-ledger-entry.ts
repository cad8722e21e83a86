import type { LedgerEntry, ModelUsage } from '../../core/session.ts';
import type { EpochMs } from '../../core/time.ts';
import type { TableLines } from './record-tables.ts';
import { bindRowLine } from './row-lines.ts';
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
    messageCount: record.chunks.reduce((sum, { count }) => sum + count, 0),
    toolCallCount: whole(session['tool_call_count']),
    usageByModel: usageByModel(usage === undefined ? [] : rowsOf(usage)),
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

/** Hermes counts by provider and task too; the ledger by model. */
function usageByModel(rows: readonly Row[]): ModelUsage[] {
  const byModel = new Map<string, ModelUsage>();
  for (const row of rows) {
    const model = text(row['model']) ?? 'unknown';
    const before = byModel.get(model);
    const actual = real(row['actual_cost_usd']);
    byModel.set(model, {
      model,
      inputTokens: (before?.inputTokens ?? 0) + whole(row['input_tokens']),
      outputTokens: (before?.outputTokens ?? 0) + whole(row['output_tokens']),
      cacheReadTokens: (before?.cacheReadTokens ?? 0) + whole(row['cache_read_tokens']),
      cacheWriteTokens: (before?.cacheWriteTokens ?? 0) + whole(row['cache_write_tokens']),
      reasoningTokens: (before?.reasoningTokens ?? 0) + whole(row['reasoning_tokens']),
      costUsd: (before?.costUsd ?? 0) + (actual > 0 ? actual : real(row['estimated_cost_usd'])),
    });
  }
  return [...byModel.values()];
}

function instant(seconds: unknown): EpochMs | undefined {
  return typeof seconds === 'number' && Number.isFinite(seconds) ? Math.floor(seconds * 1000) : undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function whole(value: unknown): number {
  return typeof value === 'bigint' ? Math.max(0, Number(value)) : 0;
}

function real(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}

function optional<K extends string, V>(name: K, value: V | undefined): { [P in K]?: V } {
  return value === undefined ? {} : ({ [name]: value } as { [P in K]: V });
}
