import type { SessionBytes, SessionItem } from '../../../core/retention/inventory.ts';
import type { ChildKind } from '../../../core/sessions/session.ts';
import { childKind } from './hermes-lineage.ts';
import { type HermesEvidence, USE_OF } from './hermes-liveness.ts';
import { filterFactsOf, type HermesPart, type HermesRow } from './hermes-rows.ts';

export type FileBytes = Omit<SessionBytes, 'rows'>;

export const NO_FILES: FileBytes = { transcript: 0, dumps: 0, other: 0 };

/** The files of a session: what they hold, by which a change is seen, and what they take on the disk. */
export interface OwnedBytes {
  readonly held: FileBytes;
  readonly onDisk: FileBytes;
}

export const NOTHING_OWNED: OwnedBytes = { held: NO_FILES, onDisk: NO_FILES };

/** Sessions that a person put away in Hermes. They stay in its database, so a policy may keep them or let them go by this tag. */
export const ARCHIVED_TAG = 'hermes:archived';

/** A session as the policy sees it. Built field by field: there may be 100 000 of them. */
export function hermesSessionItem(
  row: HermesRow,
  evidence: HermesEvidence | undefined,
  { held, onDisk }: OwnedBytes,
): SessionItem {
  const item: { -readonly [K in keyof SessionItem]: SessionItem[K] } = {
    kind: 'session',
    id: row.id,
    source: row.source,
    startedAt: row.startedAt,
    lastActiveAt: row.lastActiveAt,
    messageCount: row.messages.count,
    pinned: row.pinned,
    tags: row.archived ? ARCHIVED : NO_TAGS,
    active: evidence !== undefined && USE_OF[evidence] === 'active',
    bytes: { rows: row.sizeBytes, ...onDisk },
    fingerprint: hermesFingerprint(row, held),
    ...filterFactsOf(row),
  };
  if (evidence !== undefined && USE_OF[evidence] === 'routed') item.routed = true;
  if (row.endedAt !== undefined && RESETS.has(row.endReason)) item.reset = true;
  if (row.unreadable) item.unreadable = true;
  if (row.workdir !== undefined) item.workdir = row.workdir;
  if (row.title !== undefined) item.title = row.title;
  if (row.model !== undefined) item.model = row.model;
  if (row.endedAt !== undefined) item.endedAt = row.endedAt;
  if (row.endReason !== undefined) item.endReason = row.endReason;
  if (row.parentId !== undefined) {
    item.parentId = row.parentId;
    const kind = childKindOf(row);
    if (kind !== undefined) item.childKind = kind;
  }
  return item;
}

/** How a session came out of its parent, if it has one and something tells. */
export function childKindOf(row: HermesPart): ChildKind | undefined {
  const { parentId, markers = {} } = row;
  return parentId === undefined ? undefined : childKind({ ...row, parentId, markers });
}

/**
 * Everything a decision about a session rests on, as one text. Computed again from a fresh row before anything happens. Its
 * parent is left out: when that goes first, the session itself is what it was.
 */
export function hermesFingerprint(row: HermesRow, { transcript, dumps, other }: FileBytes): string {
  const { messages, lastActiveAt, endedAt, pinned, archived } = row;
  const rows = [messages.count, messages.lastId, messages.sizeBytes, lastActiveAt, endedAt ?? 0, pinned, archived];
  return JSON.stringify([...rows, transcript, dumps, other]);
}

/** The reasons with which Hermes ends a session whose chat starts afresh. */
const RESETS: ReadonlySet<string | undefined> = new Set(['session_reset', 'idle', 'daily']);

const NO_TAGS: readonly string[] = [];
const ARCHIVED: readonly string[] = [ARCHIVED_TAG];
