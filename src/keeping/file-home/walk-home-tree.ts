import { lstatSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { EpochMs } from '../../core/time.ts';
import { ownDiskBytes, type UnreadableEntry, walkTree } from '../../platform/files/walk-tree.ts';
import { companionPath } from '../own-layout.ts';
import type { HomeTree, TreeFile } from './home-tree.ts';

/** A home as it was walked, with what only the sum of it needs. */
export interface WalkedHome extends HomeTree {
  /** What its folders take on the disk, the home itself included and Coppice's own records left out. */
  readonly folderBytes: number;
  /** The same of what is neither a file nor a folder. */
  readonly oddBytes: number;
  /** When each folder was changed last, the home itself under `.`. */
  readonly folderTimes: ReadonlyMap<string, EpochMs>;
  /** What could not be looked at, with what the system says of it. */
  readonly unread: readonly UnreadableEntry[];
}

/** Whoever else has something to do gets a turn after so long. */
const TURN_MS = 15;
/** The clock is looked at once for so many names. */
const LOOK_EVERY = 128;

/**
 * Walks a home once, by names and by what the file system says of them: no file is opened, no link is followed, one folder is open at
 * a time, and Coppice's own records are left out.
 */
export async function walkHomeTree(home: string, signal?: AbortSignal): Promise<WalkedHome> {
  const files = new Map<string, TreeFile>();
  const folderTimes = new Map<string, EpochMs>([['.', changedAt(home)]]);
  const odd: string[] = [];
  const unread: UnreadableEntry[] = [];
  let folderBytes = ownDiskBytes(home);
  let oddBytes = 0;
  let seen = 0;
  let turnEndsAt = performance.now() + TURN_MS;
  const own = basename(companionPath(home));
  for (const entry of walkTree(home, { skips: (path) => path === own })) {
    seen += 1;
    if (seen % LOOK_EVERY === 0 && performance.now() > turnEndsAt) {
      await setImmediate();
      signal?.throwIfAborted();
      turnEndsAt = performance.now() + TURN_MS;
    }
    if (entry.kind === 'file') files.set(entry.path, entry);
    else if (entry.kind === 'unreadable') unread.push(entry);
    else if (entry.kind === 'dir') {
      folderTimes.set(entry.path, entry.modifiedAt);
      folderBytes += entry.diskBytes;
    } else {
      odd.push(entry.path);
      oddBytes += entry.diskBytes;
    }
  }
  const folders = new Set([...folderTimes.keys()].slice(1));
  const unreadable = unread.map(({ path }) => path);
  return { home, files, folders, odd, unreadable, folderBytes, oddBytes, folderTimes, unread };
}

/** Times are told in steps of some milliseconds: what was changed just before a walk may change once more and keep its time. */
const STEP_MS = 50;

/** Whether nothing can have come, gone or been renamed since a walk that began then. What is in files may have changed. */
export function hasSameNames({ home, folderTimes }: WalkedHome, walkedAt: EpochMs): boolean {
  for (const [path, at] of folderTimes) {
    if (at > walkedAt - STEP_MS || changedAt(join(home, path)) !== at) return false;
  }
  return true;
}

function changedAt(folder: string): EpochMs {
  return Math.floor(lstatSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0);
}
