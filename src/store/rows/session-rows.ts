import type { ChildKind, ModelUsage, NewSession, SessionFacts } from '../../core/sessions/session.ts';
import { KEPT_FACTS } from '../../core/sessions/word-facts.ts';

type KeptColumns = Readonly<Record<(typeof KEPT_FACTS)[number]['column'], string | null>>;

/** One row of `sessions`, as every database returns it. */
export interface SessionRow extends KeptColumns {
  readonly key: number;
  readonly id: string;
  readonly source: string;
  readonly route_key: string | null;
  readonly parent_id: string | null;
  readonly child_kind: ChildKind | null;
  readonly title: string | null;
  readonly tags: string;
  readonly started_at: number;
  readonly last_active_at: number;
  readonly ended_at: number | null;
  readonly end_reason: string | null;
  readonly pinned: number;
  readonly last_seq: number;
  /** All rows; those that are output are in `output_count` too. */
  readonly message_count: number;
  readonly output_count: number;
  readonly tool_call_count: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_tokens: number;
  readonly cache_write_tokens: number;
  readonly reasoning_tokens: number;
  readonly cost_nano_usd: number;
  readonly content_bytes: number;
  readonly transcript_seq: number;
  readonly transcript_bytes: number;
  readonly dump_bytes: number;
  /** When it went into the archive; a live session is not there. */
  readonly archived_at: number | null;
}

export interface UsageRow {
  readonly model: string;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_tokens: number;
  readonly cache_write_tokens: number;
  readonly reasoning_tokens: number;
  readonly cost_nano_usd: number;
}

/**
 * Builds the facts field by field: a list of 100 000 sessions spends most of its time here. The order is the one in which
 * exports and JSON documents show them.
 */
export function factsOf(row: SessionRow): SessionFacts {
  const facts = { id: row.id, source: row.source } as Mutable<SessionFacts>;
  if (row.route_key !== null) facts.routeKey = row.route_key;
  if (row.parent_id !== null) facts.parentId = row.parent_id;
  if (row.child_kind !== null) facts.childKind = row.child_kind;
  if (row.title !== null) facts.title = row.title;
  for (const { fact, column } of KEPT_FACTS) {
    const text = row[column];
    if (text !== null) facts[fact] = text;
  }
  facts.startedAt = row.started_at;
  facts.lastActiveAt = row.last_active_at;
  if (row.ended_at !== null) facts.endedAt = row.ended_at;
  if (row.end_reason !== null) facts.endReason = row.end_reason;
  if (row.archived_at !== null) facts.archivedAt = row.archived_at;
  facts.pinned = row.pinned === 1;
  facts.tags = row.tags === '[]' ? [] : (JSON.parse(row.tags) as string[]);
  facts.messageCount = row.message_count - row.output_count;
  if (row.output_count > 0) facts.outputCount = row.output_count;
  facts.toolCallCount = row.tool_call_count;
  facts.usage = usageOf(row);
  facts.contentBytes = row.content_bytes;
  facts.transcriptBytes = row.transcript_bytes;
  facts.dumpBytes = row.dump_bytes;
  return facts;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export function modelUsageOf(row: UsageRow): ModelUsage {
  return { model: row.model, ...usageOf(row) };
}

/** What a caller said of a session is in these columns, one for each of `givenValues`. */
export const GIVEN_COLUMNS: readonly string[] = [
  'route_key',
  'parent_id',
  'child_kind',
  'title',
  ...KEPT_FACTS.map(({ column }) => column),
  'tags',
];

export function givenValues(session: NewSession): readonly (string | null)[] {
  const { routeKey, parentId, childKind, title, tags } = session;
  const given = [routeKey, parentId, childKind, title, ...KEPT_FACTS.map(({ fact }) => session[fact])].map(
    (value) => value ?? null,
  );
  return [...given, encodeTags(tags ?? [])];
}

/** Tags are a sorted set, so that equal sets are equal text. */
export function encodeTags(tags: Iterable<string>): string {
  return JSON.stringify([...new Set(tags)].toSorted());
}

/** Billionths of a dollar. */
export const NANO = 1e9;

export function nanoUsd(costUsd: number): number {
  return Math.round(costUsd * NANO);
}

function usageOf(row: Omit<UsageRow, 'model'>) {
  return {
    inputTokens: row.input_tokens,
    outputTokens: row.output_tokens,
    cacheReadTokens: row.cache_read_tokens,
    cacheWriteTokens: row.cache_write_tokens,
    reasoningTokens: row.reasoning_tokens,
    costUsd: row.cost_nano_usd / NANO,
  };
}
