import type { Problem } from '../../core/problem.ts';
import type { SessionHold } from '../../core/sessions/session-hold.ts';
import { DAY_MS, type EpochMs, HOUR_MS } from '../../core/time.ts';
import type { FoundSession, SessionPart } from '../../keeping/file-home/file-agent.ts';
import { newestOf } from '../../keeping/file-home/session-pieces.ts';
import type { ThreadPart } from './codex-places.ts';
import type { Rollout } from './read-heads.ts';

export interface ThreadFacts {
  readonly parts: readonly ThreadPart[];
  /** Threads that a process of Codex has loaded. */
  readonly loaded: ReadonlySet<string>;
  readonly pinned: ReadonlySet<string>;
  /** Whether this version tells what it has loaded. */
  readonly tellsWriters: boolean;
  readonly now: EpochMs;
}

export interface CodexThreads {
  readonly sessions: readonly FoundSession[];
  readonly problems: readonly Problem[];
}

/** A tag that threads bear which somebody put into Codex's own archive. */
export const ARCHIVED = 'codex:archived';

/** Puts the rollouts of each thread together, and says of each whether it is in use, whole, and needed by another. */
export function codexThreads(rollouts: readonly Rollout[], facts: ThreadFacts): CodexThreads {
  const byThread = groupByThread(rollouts);
  const partsOf = groupByThread(facts.parts);
  const neededBy = findNeeds(rollouts);
  const problems: Problem[] = [];
  const sessions = [...byThread].map(([id, all]): FoundSession => {
    const own = all.toSorted(inOrder);
    const { told, copies } = plainFirst(own);
    const isRead = told.every(({ unread }) => unread === undefined);
    const trouble = isRead ? troubleWith(id, told) : undefined;
    if (trouble !== undefined)
      problems.push({ kind: 'unreadable', subject: id, message: `${trouble} It is left alone.` });
    const transcripts = told.map(({ file }) => file);
    const parts = [...copies.map(copyPart), ...(partsOf.get(id) ?? []).map(finishPart)];
    const by = neededBy.get(id);
    const hold: SessionHold | undefined = by === undefined ? undefined : { kind: 'referenced', by };
    const parentId = told.find(({ head }) => head?.parentId !== undefined)?.head?.parentId;
    const used = newestOf(own.map(({ file }) => file));
    return {
      id,
      transcripts,
      parts,
      active: facts.loaded.has(id) || used > facts.now - doubtfulMs(facts.tellsWriters),
      tags: told.some(({ archived }) => archived) ? [ARCHIVED] : [],
      pinned: facts.pinned.has(id),
      ...(parentId !== undefined && parentId !== id && { parentId }),
      ...(hold !== undefined && { hold }),
      ...((!isRead || trouble !== undefined) && { unreadable: true }),
    };
  });
  return { sessions, problems };
}

function groupByThread<T extends { readonly thread: string }>(all: readonly T[]): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const each of all) {
    const group = groups.get(each.thread);
    if (group === undefined) groups.set(each.thread, [each]);
    else group.push(each);
  }
  return groups;
}

/**
 * For so long after it was last written nobody can tell whether a thread is in use. Versions that hold a lock for each thread leave
 * little doubt; earlier ones hold none, and whoever waits for an answer writes nothing.
 */
export function doubtfulMs(tellsWriters: boolean): number {
  return tellsWriters ? HOUR_MS : DAY_MS;
}

/** In the order in which they were begun: the thread as it began first, then as it went on each time it was taken back. */
function inOrder(one: Rollout, other: Rollout): number {
  const first = Number(one.rollout !== one.thread) - Number(other.rollout !== other.thread);
  return first || (one.begun < other.begun ? -1 : Number(one.begun > other.begun));
}

/** By the thread whose rollout holds the beginning of another one, that other one. */
function findNeeds(rollouts: readonly Rollout[]): ReadonlyMap<string, string> {
  const threadOf = new Map(rollouts.map(({ rollout, thread }) => [rollout, thread]));
  const neededBy = new Map<string, string>();
  for (const { thread, head } of rollouts) {
    const needed = head?.base === undefined ? undefined : (threadOf.get(head.base) ?? head.base);
    if (needed !== undefined && needed !== thread) neededBy.set(needed, thread);
  }
  return neededBy;
}

/** Codex reads the plain one where the same rollout is there both ways, as it is while one is made of the other. */
function plainFirst(own: readonly Rollout[]): {
  readonly told: readonly Rollout[];
  readonly copies: readonly Rollout[];
} {
  const plain = new Set(own.filter(({ compressed }) => !compressed).map(({ file }) => file.path));
  const isCopy = ({ file, compressed }: Rollout) => compressed && plain.has(file.path.replace(/\.zst$/, ''));
  return { told: own.filter((each) => !isCopy(each)), copies: own.filter(isCopy) };
}

/** Why what is told of a thread cannot be relied on. */
function troubleWith(id: string, told: readonly Rollout[]): string | undefined {
  const damaged = told.find(({ head }) => head === undefined);
  if (damaged !== undefined) return `${damaged.file.path} does not begin as Codex begins its files.`;
  const other = told.find(({ head }) => head?.thread !== undefined && head.thread !== id);
  if (other !== undefined) return `${other.file.path} says that it is of the thread ${other.head?.thread ?? ''}.`;
  if (new Set(told.map(({ rollout }) => rollout)).size < told.length)
    return `The thread is told twice, in ${told.map(({ file }) => file.path).join(' and ')}.`;
  const isSplit = told.some(({ archived }) => archived !== told[0]?.archived);
  return isSplit ? 'A part of the thread is archived and another is not.' : undefined;
}

function copyPart({ file }: Rollout): SessionPart {
  return { path: file.path, files: [file], sparable: false };
}

function finishPart({ path, files, secret }: ThreadPart): SessionPart {
  return { path, files, sparable: false, ...(secret && { secret }) };
}
