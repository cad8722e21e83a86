import type { EpochMs } from '../../../core/time.ts';
import type { SessionRow } from '../../rows/session-rows.ts';
import type { Sql } from '../database/sql.ts';
import { findRow, LOCKED } from './session-writes.ts';

export interface ConversationFacts {
  readonly isUsed: (row: SessionRow) => Promise<boolean>;
  /** When any part of it was last used, as the plan knew it. */
  readonly usedAt: EpochMs;
}

/**
 * Why a session must stay with its conversation, whatever a plan says: part of it is pinned, in use, or was used or begun since,
 * or a later part is still there. Plans name later parts first, so that one which stays keeps all before it. Every part that is looked
 * at stays locked until the step is done.
 */
export async function conversationObstacle(
  tx: Sql,
  row: SessionRow,
  { isUsed, usedAt }: ConversationFacts,
): Promise<string | undefined> {
  const conversation = new Set([row.id]);
  const parts = [row];
  for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
    if (part !== row && part.pinned === 1) return 'Another part of its conversation is pinned.';
    if (part !== row && (await isUsed(part))) return 'Another part of its conversation is in use.';
    if (part.last_active_at > usedAt) return 'Its conversation went on since the plan was made.';
    for (const next of await partsBeside(tx, part)) {
      if (!conversation.has(next.id)) parts.push(next);
      conversation.add(next.id);
    }
  }
  return (await continuations(tx, row.id)).length > 0 ? 'A later part of its conversation is still there.' : undefined;
}

async function partsBeside(tx: Sql, part: SessionRow): Promise<readonly SessionRow[]> {
  const { id, parent_id: parentId, child_kind: kind } = part;
  const parent = kind === 'continuation' && parentId !== null ? await findRow(tx, parentId, LOCKED) : undefined;
  const later = await continuations(tx, id);
  return parent === undefined ? later : [parent, ...later];
}

function continuations(tx: Sql, id: string): Promise<readonly SessionRow[]> {
  return tx.all<SessionRow>(
    `SELECT * FROM coppice.sessions WHERE space = :space AND parent_id = ? AND child_kind = 'continuation' AND state = 'live'
     ORDER BY key FOR UPDATE`,
    id,
  );
}
