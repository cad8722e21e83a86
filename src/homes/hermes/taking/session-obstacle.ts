import { readFingerprint } from '../../../core/stores/session-trash.ts';
import type { EpochMs } from '../../../core/time.ts';
import type { HermesDatabase } from '../database/hermes-connection.ts';
import { evidenceOf, type HermesEvidence, type HermesLiveness } from '../sessions/hermes-liveness.ts';
import { type HermesPart, type HermesRow, readPart } from '../sessions/hermes-rows.ts';
import { childKindOf, type FileBytes, hermesFingerprint } from '../sessions/hermes-session-item.ts';

export interface ObstacleFacts {
  /** As the plan has it. */
  readonly fingerprint: string;
  readonly files: FileBytes;
  readonly liveness: HermesLiveness;
  /** The session itself is to go, and not only files of it. */
  readonly leaves: boolean;
}

/** Why a session must stay as it is, whatever a plan says. Asked under the write lock, with what is true then. */
export function sessionObstacle(hermes: HermesDatabase, row: HermesRow, facts: ObstacleFacts): string | undefined {
  const { fingerprint, files, liveness, leaves } = facts;
  const { own, conversationAt = row.lastActiveAt } = readFingerprint(fingerprint);
  if (liveness.problems[0] !== undefined) return liveness.problems[0].message;
  if (row.unreadable) return 'Its row holds values that Hermes does not write.';
  if (row.pinned) return 'It is pinned.';
  const evidence = evidenceOf(liveness, row);
  if (evidence !== undefined) return IN_USE[evidence];
  if (hermesFingerprint(row, files) !== own) return CHANGED;
  return leaves ? conversationObstacle(hermes, row, { liveness, usedAt: conversationAt }) : undefined;
}

export const CHANGED = 'It has changed since the plan was made.';

export const IN_USE: Readonly<Record<HermesEvidence, string>> = {
  route: 'A chat of Hermes leads to it.',
  'compression-lock': 'Hermes is compressing it.',
  'turn-lease': 'Hermes is at work in it.',
  'active-lease': 'Hermes is at work in it.',
  delegation: 'Work that Hermes handed on for it is not finished.',
  topic: 'A topic of a chat is bound to it.',
  pending: 'Hermes has messages for it that are not stored yet.',
  handoff: 'Hermes is handing it over.',
  open: 'It is open in Hermes.',
};

/**
 * A conversation that Hermes compressed goes on in another session, and all of its parts share one fate. Plans name later parts
 * first, so that one which stays keeps all before it.
 */
function conversationObstacle(
  hermes: HermesDatabase,
  row: HermesRow,
  { liveness, usedAt }: { readonly liveness: HermesLiveness; readonly usedAt: EpochMs },
): string | undefined {
  const seen = new Set([row.id]);
  const parts: HermesPart[] = [row];
  for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
    if (part.unreadable) return 'Another part of its conversation holds values that Hermes does not write.';
    if (part.pinned) return 'Another part of its conversation is pinned.';
    if (evidenceOf(liveness, part) !== undefined) return 'Another part of its conversation is in use.';
    if (part.lastActiveAt > usedAt) return 'Its conversation went on since the plan was made.';
    for (const next of partsBeside(hermes, part)) {
      if (!seen.has(next.id)) parts.push(next);
      seen.add(next.id);
    }
  }
  return continuations(hermes, row.id).length > 0 ? 'A later part of its conversation is still there.' : undefined;
}

function partsBeside(hermes: HermesDatabase, row: HermesPart): readonly HermesPart[] {
  const { id, parentId } = row;
  const before = parentId !== undefined && childKindOf(row) === 'continuation' ? readPart(hermes, parentId) : undefined;
  return before === undefined ? continuations(hermes, id) : [before, ...continuations(hermes, id)];
}

function continuations(hermes: HermesDatabase, id: string): readonly HermesPart[] {
  return childIds(hermes, id)
    .map((child) => readPart(hermes, child))
    .filter((child) => child !== undefined)
    .filter((child) => childKindOf(child) === 'continuation');
}

/** The sessions that came out of this one. */
export function childIds({ db }: HermesDatabase, id: string): readonly string[] {
  return db
    .prepare<[string], string>('SELECT id FROM sessions WHERE parent_session_id = ? ORDER BY id')
    .pluck()
    .all(id);
}
