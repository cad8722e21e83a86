import type { Problem } from '../../core/problem.ts';
import type { SessionHold } from '../../core/sessions/session-hold.ts';
import { DAY_MS, type EpochMs, HOUR_MS } from '../../core/time.ts';
import type { FoundSession, SessionPart } from '../../keeping/file-home/file-agent.ts';
import type { TreeFile } from '../../keeping/file-home/home-tree.ts';
import type { PartDraft, SessionDraft, ToldFile } from './claude-drafts.ts';
import type { ClaudeRegistry } from './claude-registry.ts';

export interface FinishedSessions {
  readonly sessions: readonly FoundSession[];
  readonly problems: readonly Problem[];
}

/** Says of each session whether it is in use, readable, and needed by another. */
export function finishSessions(
  drafts: readonly SessionDraft[],
  { registry, now }: { readonly registry: ClaudeRegistry; readonly now: EpochMs },
): FinishedSessions {
  const neededBy = findNeeds(drafts);
  const parentOf = findOriginals(drafts);
  const sessions = drafts.map((draft): FoundSession => {
    const { id, main, subagents } = draft;
    const told = [...main.toSorted(oldestFirst), ...subagents];
    const parts = [...draft.parts.values()].map(finishPart);
    const parentId = draft.parentId ?? parentOf(draft);
    const hold = holdOf(told, neededBy.get(id));
    const files = [...told.map(({ file }) => file), ...parts.flatMap((part) => part.files)];
    return {
      id,
      transcripts: told.map(({ file }) => file),
      parts,
      active: isOpen(draft, registry) || usedSince(files, now - doubtfulMs(registry)),
      ...(parentId !== undefined && { parentId }),
      ...(hold !== undefined && { hold }),
      ...(told.some(({ head }) => head?.isTranscript !== true) && { unreadable: true }),
    };
  });
  return { sessions, problems: drafts.flatMap(unreadableIn) };
}

/** Nobody knows what versions to come leave out of a file and keep elsewhere. */
function holdOf(told: readonly ToldFile[], by: string | undefined): SessionHold | undefined {
  if (told.some(({ head }) => (head?.majorVersion ?? KNOWN_MAJOR) > KNOWN_MAJOR)) return { kind: 'report-only' };
  return by === undefined ? undefined : { kind: 'referenced', by };
}

const KNOWN_MAJOR = 2;

/** Whether a running program has it. What a subagent says is a part of the session that it works for. */
export function isOpen({ id, parentId }: Pick<SessionDraft, 'id' | 'parentId'>, { open }: ClaudeRegistry): boolean {
  return open.has(id) || (parentId !== undefined && id.startsWith(`${parentId}.`) && open.has(parentId));
}

/**
 * For so long after it was last written nobody can tell whether a session is in use. Programs that list what they have open leave
 * little doubt; earlier versions kept no list, and whoever waits for an answer writes nothing.
 */
export function doubtfulMs({ kept }: ClaudeRegistry): number {
  return kept ? HOUR_MS : DAY_MS;
}

export function usedSince(files: readonly TreeFile[], since: EpochMs): boolean {
  return files.some(({ modifiedAt }) => modifiedAt > since);
}

/** By the session whose beginning is told there, one that cannot be read without it. */
function findNeeds(drafts: readonly SessionDraft[]): ReadonlyMap<string, string> {
  const neededBy = new Map<string, string>();
  for (const { id, main, subagents } of drafts) {
    for (const { head } of [...main, ...subagents]) {
      if (head?.needs !== undefined && head.needs !== id && !neededBy.has(head.needs)) neededBy.set(head.needs, id);
    }
  }
  return neededBy;
}

/** Finds the session that another is a copy of: it says so, or begins with the same prompt and not as a copy itself. */
function findOriginals(drafts: readonly SessionDraft[]): (draft: SessionDraft) => string | undefined {
  const firstWith = new Map<string, string>();
  for (const { id, main } of drafts) {
    for (const { head } of main) {
      if (head?.firstPrompt !== undefined && !head.beganAsCopy && head.copyOf === undefined)
        firstWith.set(head.firstPrompt, id);
    }
  }
  return ({ id, main }) => {
    const head = main.map((told) => told.head).find((each) => each?.copyOf !== undefined || each?.beganAsCopy === true);
    const original = head?.copyOf ?? (head?.firstPrompt === undefined ? undefined : firstWith.get(head.firstPrompt));
    return original === id ? undefined : original;
  };
}

function finishPart({ path, files, sparable, secret, linked }: PartDraft): SessionPart {
  return { path, files, sparable, ...(secret && { secret }), ...(linked && { linked }) };
}

function unreadableIn({ main, subagents }: SessionDraft): Problem[] {
  return [...main, ...subagents].flatMap(({ file: { path }, head }) => {
    if (head?.isTranscript === true) return [];
    const why = head === undefined ? 'cannot be read' : 'does not begin as Claude Code begins its files';
    return [{ kind: 'unreadable', subject: path, message: `${path} ${why}, so its session is left alone.` }];
  });
}

function oldestFirst({ file: one }: ToldFile, { file: other }: ToldFile): number {
  return one.modifiedAt - other.modifiedAt || (one.path < other.path ? -1 : 1);
}
