import type { SessionFacts } from '../../../core/sessions/session.ts';
import { count } from '../database/cell-values.ts';
import { countsOf, type HermesRow, peopleOf } from './hermes-rows.ts';
import { ARCHIVED_TAG, childKindOf, type FileBytes } from './hermes-session-item.ts';
import { toUsage } from './hermes-usage.ts';

/** A session as people and exports see it. */
export function hermesFacts(row: HermesRow, files: FileBytes): SessionFacts {
  const { parentId } = row;
  const kind = childKindOf(row);
  const counts = countsOf(row);
  return {
    id: row.id,
    source: row.source,
    ...(row.routeKey !== undefined && { routeKey: row.routeKey }),
    ...(parentId !== undefined && { parentId }),
    ...(kind !== undefined && { childKind: kind }),
    ...(row.title !== undefined && { title: row.title }),
    ...(row.model !== undefined && { model: row.model }),
    ...(row.workdir !== undefined && { workdir: row.workdir }),
    ...peopleOf(row),
    startedAt: row.startedAt,
    lastActiveAt: row.lastActiveAt,
    ...(row.endedAt !== undefined && { endedAt: row.endedAt }),
    ...(row.endReason !== undefined && { endReason: row.endReason }),
    pinned: row.pinned,
    tags: row.archived ? [ARCHIVED_TAG] : [],
    messageCount: row.messages.count,
    toolCallCount: count(counts.tool_call_count),
    usage: toUsage(counts),
    contentBytes: row.sizeBytes,
    transcriptBytes: files.transcript + files.other,
    dumpBytes: files.dumps,
  };
}
