import type { SessionItem } from '../../core/retention/inventory.ts';
import { addUsage, NO_USAGE, type SessionFacts, totalTokens, type Usage } from '../../core/sessions/session.ts';
import type { RowCount } from './count-row.ts';
import type { FoundRow, RowAgent } from './row-agent.ts';

/** How a session that is rows is told of everywhere. */
export interface RowTelling {
  /** The source of its sessions. */
  readonly source: string;
  readonly agent: RowAgent;
}

/** The facts of a session. Its agent ends none: one that nobody uses counts as ended when it was last used. */
export function rowFacts({ source, agent }: RowTelling, row: FoundRow, count?: RowCount): SessionFacts {
  const { id, title, workdir, model, parentId, childKind, startedAt, lastActiveAt, active } = row;
  return {
    id,
    source,
    startedAt,
    lastActiveAt,
    ...(!active && { endedAt: lastActiveAt }),
    ...(title !== undefined && { title }),
    ...(workdir !== undefined && { workdir }),
    ...(model !== undefined && { model }),
    ...(parentId !== undefined && { parentId }),
    ...(parentId !== undefined && childKind !== undefined && { childKind }),
    pinned: row.pinned === true,
    tags: row.tags ?? [],
    hold: agent.hold(row),
    messageCount: count?.messageCount ?? row.messageRows,
    toolCallCount: count?.toolCallCount ?? 0,
    usage: row.usageByModel.reduce<Usage>(addUsage, NO_USAGE),
    contentBytes: row.rowBytes,
    transcriptBytes: 0,
    dumpBytes: 0,
  };
}

/** The same for an inventory, where it is never taken. */
export function rowItem(telling: RowTelling, row: FoundRow): SessionItem {
  const {
    usage,
    toolCallCount: _,
    contentBytes,
    transcriptBytes: __,
    dumpBytes: ___,
    ...facts
  } = rowFacts(telling, row);
  return {
    ...facts,
    kind: 'session',
    ...(telling.agent.unmeasured !== true && { tokens: totalTokens(usage), costUsd: usage.costUsd }),
    active: row.active,
    bytes: { rows: contentBytes, transcript: 0, dumps: 0, other: 0 },
    fingerprint: `${row.lastActiveAt}:${row.messageRows}:${row.rowBytes}`,
  };
}
