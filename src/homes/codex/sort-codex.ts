import type { Problem } from '../../core/problem.ts';
import type { EpochMs } from '../../core/time.ts';
import type { OtherFiles, SortedHome } from '../../keeping/file-home/file-agent.ts';
import type { HomeTree, TreeFile } from '../../keeping/file-home/home-tree.ts';
import { otherSort, partPlace, type ThreadPart } from './codex-places.ts';
import { codexThreads } from './codex-threads.ts';
import type { Rollout } from './read-heads.ts';
import { pinnedThreads } from './rows/pinned-threads.ts';
import { loadedThreads, lockOf, tellsWriters } from './writer-locks.ts';

/** Sorts a home of Codex: a rollout for each thread in folders by day, one more for each time a thread was taken back, and what is beside them. */
export async function sortCodex(tree: HomeTree, rollouts: readonly Rollout[], now: EpochMs): Promise<SortedHome> {
  const threads = new Set(rollouts.map(({ thread }) => thread));
  const rest = restOf(tree, threads);
  const pinned = await pinnedThreads(tree.home);
  const locked = [...threads].filter((thread) => tree.files.has(lockOf(thread)));
  const { sessions, problems } = codexThreads(rollouts, {
    parts: rest.parts,
    loaded: loadedThreads(tree.home, locked),
    pinned: pinned.ids,
    tellsWriters: tellsWriters(tree),
    now,
  });
  const unsure = [...rollouts.flatMap(doubtAbout), ...pinned.problems, ...tree.odd.flatMap(behindLink)];
  return {
    sessions,
    strays: [],
    others: rest.others,
    problems: [...unsure, ...problems],
    doubts: unsure.length > 0 ? ['activity-unknown'] : [],
  };
}

function restOf(tree: HomeTree, threads: ReadonlySet<string>) {
  const parts = new Map<string, ThreadPart & { readonly files: TreeFile[] }>();
  const others = new Map<string, OtherFiles & { readonly files: TreeFile[] }>();
  for (const file of tree.files.values()) {
    const place = partPlace(file.path);
    if (place !== undefined && threads.has(place.thread)) {
      const part = parts.get(place.path) ?? { ...place, files: [] };
      parts.set(place.path, part);
      part.files.push(file);
      continue;
    }
    const sort = otherSort(file.path);
    if (sort === undefined) continue;
    const found = others.get(sort.name) ?? { ...sort, files: [] };
    others.set(sort.name, found);
    found.files.push(file);
  }
  return { parts: [...parts.values()], others: [...others.values()] };
}

/** The ways in which 0.166 and those before it tell what came before a rollout. Another one may need any other rollout. */
const KNOWN_MODES: ReadonlySet<string | undefined> = new Set([undefined, 'legacy', 'paginated']);

/** A rollout that may need any other: while it is there nothing can be known to be needed by none. */
function doubtAbout({ file: { path }, head, unread }: Rollout): Problem[] {
  const hint = 'Nothing of this home is removed until it can be read, or is gone.';
  if (unread !== undefined) {
    const message = `${path} cannot be read: ${unread}. Which other threads it needs is not known.`;
    return [{ kind: 'unreadable', subject: path, message, hint }];
  }
  if (KNOWN_MODES.has(head?.historyMode)) return [];
  const message = `${path} was written in a way that is not known here (${head?.historyMode ?? ''}), so which other threads it needs is not known.`;
  return [{ kind: 'unknown-version', subject: path, message, hint }];
}

/** What is behind a link is not looked at, and rollouts there may need any of those that are seen. */
function behindLink(path: string): Problem[] {
  if (!/^(sessions|archived_sessions)(\/|$)/.test(path)) return [];
  const message = `${path} is a link, or no folder. Threads behind it are not looked at, and may need others.`;
  const hint = 'Nothing of this home is removed while it is there. Put the folder itself in its place.';
  return [{ kind: 'link', subject: path, message, hint }];
}
