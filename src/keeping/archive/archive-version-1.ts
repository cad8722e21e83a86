import type { Content, Message, Role } from '../../core/sessions/message.ts';
import type { ChildKind, Usage } from '../../core/sessions/session.ts';
import type { ArchiveDocument } from '../../core/stores/session-archive.ts';

/** A line of an archive of version 1: a row, column by column, as the store of that time kept it. */
export interface ArchiveRow {
  readonly kind: ArchiveDocument['kind'];
  readonly row: Readonly<Record<string, string | number | null>>;
}

/** What such a row said, as archives say it now. Written down once and never changed: these archives are read for as long as there are any. */
export function documentOfRow({ kind, row }: ArchiveRow): ArchiveDocument {
  if (kind === 'message') return { kind, message: messageOf(row as unknown as MessageColumns) };
  if (kind === 'usage') return { kind, usage: { model: String(row['model']), ...usageOf(row) } };
  if (kind === 'rewind') {
    const numbers = { afterSeq: Number(row['after_seq']), lastSeq: Number(row['last_seq']) };
    return { kind, rewind: { runId: String(row['run_id']), ...numbers } };
  }
  return { kind, session: sessionOf(row) };
}

interface MessageColumns {
  readonly seq: number;
  readonly role: Role;
  readonly at: number;
  readonly text: string;
  readonly extra: string | null;
}

/** `extra` held whatever `text` alone could not give back: other content, or where content ended and the words of tool calls began. */
function messageOf({ seq, role, at, text, extra }: MessageColumns): Message {
  if (extra === null) return { seq, role, at, content: text };
  const { content, contentLength, ...rest } = JSON.parse(extra) as { content?: Content; contentLength?: number };
  return { seq, role, at, content: content ?? text.slice(0, contentLength), ...rest };
}

function usageOf(row: ArchiveRow['row']): Usage {
  return {
    inputTokens: Number(row['input_tokens']),
    outputTokens: Number(row['output_tokens']),
    cacheReadTokens: Number(row['cache_read_tokens']),
    cacheWriteTokens: Number(row['cache_write_tokens']),
    reasoningTokens: Number(row['reasoning_tokens']),
    costUsd: Number(row['cost_nano_usd']) / 1e9,
  };
}

function sessionOf(row: ArchiveRow['row']): Extract<ArchiveDocument, { kind: 'session' }>['session'] {
  // Those of before output was counted have no such column.
  const outputCount = Number(row['output_count'] ?? 0);
  return {
    id: String(row['id']),
    source: String(row['source']),
    ...given({
      routeKey: row['route_key'] as string | null,
      parentId: row['parent_id'] as string | null,
      childKind: row['child_kind'] as ChildKind | null,
      title: row['title'] as string | null,
      model: row['model'] as string | null,
      workdir: row['workdir'] as string | null,
    }),
    startedAt: Number(row['started_at']),
    lastActiveAt: Number(row['last_active_at']),
    ...given({ endedAt: row['ended_at'] as number | null, endReason: row['end_reason'] as string | null }),
    pinned: row['pinned'] === 1,
    tags: JSON.parse(String(row['tags'])) as string[],
    messageCount: Number(row['message_count']) - outputCount,
    ...(outputCount > 0 && { outputCount }),
    toolCallCount: Number(row['tool_call_count']),
    usage: usageOf(row),
    contentBytes: Number(row['content_bytes']),
    transcriptBytes: Number(row['transcript_bytes']),
    dumpBytes: Number(row['dump_bytes']),
    lastSeq: Number(row['last_seq']),
    transcriptSeq: Number(row['transcript_seq']),
  };
}

/** Without what is null. */
function given<T extends object>(values: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const there = Object.entries(values).filter(([, value]) => value !== null);
  return Object.fromEntries(there) as { [K in keyof T]?: NonNullable<T[K]> };
}
