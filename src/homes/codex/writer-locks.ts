import { join } from 'node:path';
import { holdLock } from '../../platform/locks/hold-lock.ts';
import type { HomeTree } from '../../keeping/file-home/home-tree.ts';

/** Codex holds a lock on a file there for each thread that it has loaded. The file of one that was killed stays, and nobody holds it. */
export const LOCKS = 'thread-writer-locks';
/** Whoever begins or ends with a thread, or removes or compresses a rollout, holds it for that moment. */
export const COORDINATION = `${LOCKS}/.coordination.lock`;

export function lockOf(thread: string): string {
  return `${LOCKS}/${thread}.lock`;
}

/** Whether this version of Codex tells what it has loaded. */
export function tellsWriters({ files }: HomeTree): boolean {
  return files.has(COORDINATION);
}

/** The threads that a process of Codex has loaded. Where no program here can try a lock, each that has a file counts. */
export function loadedThreads(home: string, threads: Iterable<string>): ReadonlySet<string> {
  const loaded = new Set<string>();
  for (const thread of threads) if (isLoaded(home, thread)) loaded.add(thread);
  return loaded;
}

/** A lock that is there and cannot be taken is held. One that could be is given back at once. */
export function isLoaded(home: string, thread: string): boolean {
  const lock = holdLock(join(home, lockOf(thread)));
  if (typeof lock === 'string') return lock !== 'absent';
  lock[Symbol.dispose]();
  return false;
}
