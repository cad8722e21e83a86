import { type ModelUsage, NO_USAGE, type SessionFacts, type Usage } from '../../core/session.ts';
import type { HermesDatabase } from './hermes-connection.ts';
import type { HermesRow } from './hermes-rows.ts';
import { ARCHIVED_TAG, childKindOf, type FileBytes } from './hermes-session-item.ts';

/** What a row tells beyond what decisions need. */
export interface HermesExtra {
  readonly routeKey?: string;
  readonly toolCallCount: number;
  readonly usage: Usage;
}

/** A session as people and exports see it. */
export function hermesFacts(row: HermesRow, extra: HermesExtra, files: FileBytes): SessionFacts {
  const { parentId } = row;
  const kind = childKindOf(row);
  return {
    id: row.id,
    source: row.source,
    ...(extra.routeKey !== undefined && { routeKey: extra.routeKey }),
    ...(parentId !== undefined && { parentId }),
    ...(kind !== undefined && { childKind: kind }),
    ...(row.title !== undefined && { title: row.title }),
    ...(row.model !== undefined && { model: row.model }),
    ...(row.workdir !== undefined && { workdir: row.workdir }),
    startedAt: row.startedAt,
    lastActiveAt: row.lastActiveAt,
    ...(row.endedAt !== undefined && { endedAt: row.endedAt }),
    ...(row.endReason !== undefined && { endReason: row.endReason }),
    pinned: row.pinned,
    tags: row.archived ? [ARCHIVED_TAG] : [],
    messageCount: row.messages.count,
    toolCallCount: extra.toolCallCount,
    usage: extra.usage,
    contentBytes: row.sizeBytes,
    transcriptBytes: files.transcript + files.other,
    dumpBytes: files.dumps,
  };
}

const NO_EXTRA: HermesExtra = { toolCallCount: 0, usage: NO_USAGE };

/** Looks these facts up by id: for all sessions at once, or for one. */
export function readExtras(hermes: HermesDatabase, only?: string): (id: string) => HermesExtra {
  const known = hermes.tables.get('sessions');
  const columns = EXTRA.map((name) => (known?.has(name) ? name : `NULL AS ${name}`)).join(', ');
  const where = only === undefined ? '' : 'WHERE id = ?';
  const rows = hermes.db
    .prepare<string[], RawExtra>(`SELECT id, ${columns} FROM sessions ${where}`)
    .iterate(...(only === undefined ? [] : [only]));
  const extras = new Map<unknown, HermesExtra>();
  for (const row of rows) extras.set(row.id, toExtra(row));
  return (id) => extras.get(id) ?? NO_EXTRA;
}

const TOKENS = [
  'input_tokens',
  'output_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'reasoning_tokens',
] as const;
const COSTS = ['actual_cost_usd', 'estimated_cost_usd'] as const;
const EXTRA = ['session_key', 'tool_call_count', ...TOKENS, ...COSTS] as const;

type RawUsage = { readonly [K in (typeof TOKENS)[number] | (typeof COSTS)[number]]: unknown };
type RawExtra = RawUsage & { readonly id: unknown; readonly session_key: unknown; readonly tool_call_count: unknown };

function toExtra(row: RawExtra): HermesExtra {
  const { session_key: routeKey } = row;
  return {
    ...(typeof routeKey === 'string' && routeKey !== '' && { routeKey }),
    toolCallCount: count(row.tool_call_count),
    usage: toUsage(row),
  };
}

/** What each model was used for. Hermes counts by provider and task too; here they are one. */
export function readUsageByModel(hermes: HermesDatabase, id: string): ModelUsage[] {
  const known = hermes.tables.get('session_model_usage');
  if (known === undefined) return [];
  const columns = [...TOKENS, ...COSTS].map((name) => (known.has(name) ? name : `NULL AS ${name}`)).join(', ');
  const rows = hermes.db
    .prepare<[string], RawUsage & { model: unknown }>(
      `SELECT model, ${columns} FROM session_model_usage WHERE session_id = ? ORDER BY rowid`,
    )
    .all(id);
  const byModel = new Map<string, ModelUsage>();
  for (const row of rows) {
    const model = typeof row.model === 'string' && row.model !== '' ? row.model : 'unknown';
    const before = byModel.get(model) ?? { model, ...NO_USAGE };
    byModel.set(model, { model, ...addUsage(before, toUsage(row)) });
  }
  return [...byModel.values()];
}

function toUsage(row: RawUsage): Usage {
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

function addUsage(a: Usage, b: Usage): Usage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
    reasoningTokens: a.reasoningTokens + b.reasoningTokens,
    costUsd: a.costUsd + b.costUsd,
  };
}

function count(value: unknown): number {
  return Math.floor(amount(value));
}

function amount(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
}
