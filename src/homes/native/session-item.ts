import type { SessionBytes, SessionFact, SessionItem } from '../../core/retention/inventory.ts';
import { endedByReset } from '../../core/sessions/end-reasons.ts';
import { goesOn } from '../../core/sessions/in-use.ts';
import { type SessionFacts, totalTokens } from '../../core/sessions/session.ts';
import { FILTERED_FACTS, KEPT_FACTS, WORD_FACT_SPECS } from '../../core/sessions/word-facts.ts';

/** What every native home records about its sessions, of what not every kind of home does. */
export const NATIVE_FACTS: readonly SessionFact[] = [
  'tokens',
  'cost',
  ...FILTERED_FACTS.filter((fact) => WORD_FACT_SPECS[fact].column !== undefined),
];

export interface ItemFacts {
  readonly active: boolean;
  /** A key names it. */
  readonly named: boolean;
  readonly bytes: SessionBytes;
  readonly fingerprint: string;
  /** Gives back an equal text that was seen before, for those who keep many items: sources and projects are few. */
  readonly same?: (text: string) => string;
}

/** A session as the policy sees it. Built field by field: there may be 100 000 of them. */
export function sessionItem(session: SessionFacts, facts: ItemFacts): SessionItem {
  const { active, named, bytes, fingerprint, same = (text) => text } = facts;
  const item: { -readonly [K in keyof SessionItem]: SessionItem[K] } = {
    kind: 'session',
    id: session.id,
    source: same(session.source),
    startedAt: session.startedAt,
    lastActiveAt: session.lastActiveAt,
    messageCount: session.messageCount,
    tokens: totalTokens(session.usage),
    costUsd: session.usage.costUsd,
    pinned: session.pinned,
    tags: session.tags.length === 0 ? NO_TAGS : session.tags,
    active,
    bytes,
    fingerprint,
  };
  if (named && goesOn(session)) item.routed = true;
  if (session.endedAt !== undefined && endedByReset(session.endReason)) item.reset = true;
  if (session.outputCount !== undefined) item.outputCount = session.outputCount;
  if (session.title !== undefined) item.title = session.title;
  for (const { fact } of KEPT_FACTS) {
    const text = session[fact];
    if (text !== undefined) item[fact] = same(text);
  }
  if (session.parentId !== undefined) item.parentId = session.parentId;
  if (session.childKind !== undefined) item.childKind = session.childKind;
  if (session.endedAt !== undefined) item.endedAt = session.endedAt;
  if (session.endReason !== undefined) item.endReason = same(session.endReason);
  return item;
}

const NO_TAGS: readonly string[] = [];

/** A memory of texts for one scan. */
export function sameTexts(): NonNullable<ItemFacts['same']> {
  const known = new Map<string, string>();
  return (text) => {
    const found = known.get(text);
    if (found === undefined) known.set(text, text);
    return found ?? text;
  };
}
