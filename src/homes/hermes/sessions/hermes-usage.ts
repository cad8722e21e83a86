import { addUsage, type ModelUsage, NO_USAGE, type Usage } from '../../../core/sessions/session.ts';
import { amount, count, text } from '../database/cell-values.ts';
import type { HermesDatabase } from '../database/hermes-connection.ts';

/** What each model was used for. Hermes counts by provider and task too; here they are one. */
export function readUsageByModel(hermes: HermesDatabase, id: string): ModelUsage[] {
  const known = hermes.tables.get('session_model_usage');
  if (known === undefined) return [];
  const columns = USAGE_COLUMNS.map((name) => (known.has(name) ? name : `NULL AS ${name}`)).join(', ');
  const rows = hermes.db
    .prepare<[string], RawModelUsage>(
      `SELECT model, ${columns} FROM session_model_usage WHERE session_id = ? ORDER BY rowid`,
    )
    .all(id);
  return sumByModel(rows);
}

/** The same of rows at hand. */
export function sumByModel(rows: readonly RawModelUsage[]): ModelUsage[] {
  const byModel = new Map<string, ModelUsage>();
  for (const row of rows) {
    const model = text(row.model) ?? 'unknown';
    const before = byModel.get(model) ?? { model, ...NO_USAGE };
    byModel.set(model, { model, ...addUsage(before, toUsage(row)) });
  }
  return [...byModel.values()];
}

const TOKENS = [
  'input_tokens',
  'output_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'reasoning_tokens',
] as const;
const COSTS = ['actual_cost_usd', 'estimated_cost_usd'] as const;

/** Sessions and the table of models both have these. */
const USAGE_COLUMNS = [...TOKENS, ...COSTS] as const;

/** What a session counts. */
export const COUNT_COLUMNS = ['tool_call_count', ...USAGE_COLUMNS] as const;

export type RawCounts = { readonly [K in (typeof COUNT_COLUMNS)[number]]: unknown };
type RawUsage = { readonly [K in (typeof USAGE_COLUMNS)[number]]?: unknown };
type RawModelUsage = RawUsage & { readonly model?: unknown };

export function toUsage(row: RawUsage): Usage {
  return {
    inputTokens: count(row.input_tokens),
    outputTokens: count(row.output_tokens),
    cacheReadTokens: count(row.cache_read_tokens),
    cacheWriteTokens: count(row.cache_write_tokens),
    reasoningTokens: count(row.reasoning_tokens),
    // What was billed where that is known, else what Hermes worked out.
    costUsd: amount(row.actual_cost_usd) || amount(row.estimated_cost_usd),
  };
}
