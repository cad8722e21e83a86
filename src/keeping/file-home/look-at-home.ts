import type { Problem } from '../../core/problem.ts';
import type { SessionHold } from '../../core/sessions/session-hold.ts';
import type { EpochMs } from '../../core/time.ts';
import type { FileAgent, FoundSession, SortedHome } from './file-agent.ts';
import type { TreeFile } from './home-tree.ts';
import { piecesOf, type SessionPiece } from './session-pieces.ts';
import { type WalkedHome, walkHomeTree } from './walk-home-tree.ts';

/** A home as one walk and its agent's rules show it. */
export interface LookedHome {
  readonly tree: WalkedHome;
  readonly sorted: SortedHome;
  readonly byId: ReadonlyMap<string, FoundSession>;
  /** Files that the agent put into no place. */
  readonly left: readonly TreeFile[];
}

export interface FileHomePlace {
  readonly home: string;
  readonly agent: FileAgent;
}

/**
 * Walks a home and lets its agent sort it. What the agent says is not believed blindly: a session whose files are also somebody
 * else's, or whose folder holds more than it is said to, stays where it is.
 */
export async function lookAtHome(
  { home, agent }: FileHomePlace,
  now: EpochMs,
  signal?: AbortSignal,
): Promise<LookedHome> {
  const tree = await walkHomeTree(home, signal);
  const sorted = await agent.sort(tree, now);
  signal?.throwIfAborted();
  const owners = countOwners(sorted);
  const counts = countBelow(tree, sorted);
  const byId = new Map<string, FoundSession>();
  const problems: Problem[] = [];
  const sessions: FoundSession[] = [];
  for (const session of sorted.sessions) {
    const trouble = byId.has(session.id)
      ? 'has the id of another session'
      : troubleWith(session, { tree, owners, counts });
    const found = trouble === undefined ? session : { ...session, hold: session.hold ?? REPORT };
    if (trouble !== undefined) problems.push(notUnderstood(session, trouble));
    // Of two with one id neither goes: nobody could say which of them is meant.
    const twin = byId.get(session.id);
    if (twin !== undefined) {
      const held = { ...twin, hold: twin.hold ?? REPORT };
      byId.set(session.id, held);
      sessions[sessions.indexOf(twin)] = held;
      continue;
    }
    byId.set(session.id, found);
    sessions.push(found);
  }
  const strays = sorted.strays.filter(
    (stray) => troubleWithPiece({ ...stray, role: 'part', secret: false }, { tree, owners, counts }) === undefined,
  );
  const left = [...tree.files.values()].filter(({ path }) => !owners.has(path));
  return { tree, sorted: { ...sorted, sessions, strays, problems: [...sorted.problems, ...problems] }, byId, left };
}

const REPORT: SessionHold = { kind: 'report-only' };

interface Known {
  readonly tree: WalkedHome;
  readonly owners: ReadonlyMap<string, number>;
  readonly counts: ReadonlyMap<string, number>;
}

function countOwners({ sessions, strays, others }: SortedHome): ReadonlyMap<string, number> {
  const owners = new Map<string, number>();
  const claim = (files: readonly TreeFile[]) => {
    for (const { path } of files) owners.set(path, (owners.get(path) ?? 0) + 1);
  };
  for (const session of sessions) for (const { files } of piecesOf(session)) claim(files);
  for (const { files } of strays) claim(files);
  for (const { files } of others) claim(files);
  return owners;
}

/** How many files, and things that are none, there are below each folder that moves as one. */
function countBelow(tree: WalkedHome, { sessions, strays }: SortedHome): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const add = (path: string) => {
    if (tree.folders.has(path)) counts.set(path, 0);
  };
  for (const session of sessions) for (const { path } of session.parts) add(path);
  for (const { path } of strays) add(path);
  if (counts.size === 0) return counts;
  for (const path of [...tree.files.keys(), ...tree.odd, ...tree.unreadable]) {
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
      const folder = path.slice(0, at);
      const count = counts.get(folder);
      if (count !== undefined) counts.set(folder, count + 1);
    }
  }
  return counts;
}

function troubleWith(session: FoundSession, known: Known): string | undefined {
  if (session.transcripts.length === 0) return 'has no file in which it is told';
  for (const piece of piecesOf(session)) {
    const trouble = troubleWithPiece(piece, known);
    if (trouble !== undefined) return trouble;
  }
  return undefined;
}

function troubleWithPiece({ path, files }: SessionPiece, { tree, owners, counts }: Known): string | undefined {
  const shared = files.find((file) => (owners.get(file.path) ?? 0) > 1);
  if (shared !== undefined) return `shares ${shared.path} with something else`;
  if (tree.folders.has(path)) {
    if (counts.get(path) !== files.length) return `has a folder ${path} with something in it that is not its own`;
    return files.every((file) => file.path.startsWith(`${path}/`)) ? undefined : `has files outside of ${path}`;
  }
  return files.length === 1 && files[0]?.path === path && tree.files.has(path) ? undefined : `has no file ${path}`;
}

function notUnderstood({ id }: FoundSession, trouble: string): Problem {
  return { kind: 'not-understood', subject: id, message: `The session ${trouble}. It is left alone.` };
}
