import type { EpochMs } from '../../../core/time.ts';
import type { Connection } from '../database/connection.ts';
import type { SessionRow } from '../../rows/session-rows.ts';
import { findRow } from './session-writes.ts';

export interface ConversationFacts {
  readonly isUsed: (row: SessionRow) => boolean;
  /** When any part of it was last used, as the plan knew it. */
  readonly usedAt: EpochMs;
}

/**
 * Why a session must stay with its conversation, whatever a plan says: part of it is pinned, in use, or was used or begun since,
 * or a later part is still there. Plans name later parts first, so that one which stays keeps all before it. Asked under the
 * write lock.
 */
export function conversationObstacle(
  db: Connection,
  row: SessionRow,
  { isUsed, usedAt }: ConversationFacts,
): string | undefined {
  const conversation = new Set([row.id]);
  const parts = [row];
  for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
    if (part !== row && part.pinned === 1) return 'Another part of its conversation is pinned.';
    if (part !== row && isUsed(part)) return 'Another part of its conversation is in use.';
    if (part.last_active_at > usedAt) return 'Its conversation went on since the plan was made.';
    for (const next of partsBeside(db, part)) {
      if (!conversation.has(next.id)) parts.push(next);
      conversation.add(next.id);
    }
  }
  return continuations(db, row.id).length > 0 ? 'A later part of its conversation is still there.' : undefined;
}

function partsBeside(db: Connection, { id, parent_id: parentId, child_kind: kind }: SessionRow): readonly SessionRow[] {
  const parent = kind === 'continuation' && parentId !== null ? findRow(db, parentId) : undefined;
  return parent === undefined ? continuations(db, id) : [parent, ...continuations(db, id)];
}

function continuations(db: Connection, id: string): readonly SessionRow[] {
  return db
    .sql<[string], SessionRow>(
      `SELECT * FROM sessions WHERE parent_id = ? AND child_kind = 'continuation' AND state = 'live'`,
    )
    .all(id);
}
