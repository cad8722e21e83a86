import type { SessionBytes, SessionItem } from '../../core/inventory.ts';
import type { SessionFacts } from '../../core/session.ts';

export interface ItemFacts {
  readonly active: boolean;
  readonly bytes: SessionBytes;
  readonly fingerprint: string;
}

/** A session as the policy sees it. Built field by field: there may be 100 000 of them. */
export function sessionItem(session: SessionFacts, { active, bytes, fingerprint }: ItemFacts): SessionItem {
  const item: { -readonly [K in keyof SessionItem]: SessionItem[K] } = {
    kind: 'session',
    id: session.id,
    source: session.source,
    startedAt: session.startedAt,
    lastActiveAt: session.lastActiveAt,
    messageCount: session.messageCount,
    pinned: session.pinned,
    tags: session.tags,
    active,
    bytes,
    fingerprint,
  };
  if (session.workdir !== undefined) item.workdir = session.workdir;
  if (session.title !== undefined) item.title = session.title;
  if (session.model !== undefined) item.model = session.model;
  if (session.parentId !== undefined) item.parentId = session.parentId;
  if (session.childKind !== undefined) item.childKind = session.childKind;
  if (session.endedAt !== undefined) item.endedAt = session.endedAt;
  if (session.endReason !== undefined) item.endReason = session.endReason;
  return item;
}
