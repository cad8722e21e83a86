import { constants, lstatSync, readdirSync, type Stats, statSync } from 'node:fs';
import { errorText } from '../../core/error-text.ts';
import type { EpochMs } from '../../core/time.ts';
import { errorCode } from '../error-code.ts';

/** `path` is relative to the root, with `/` between names; the root itself is `.` and only ever `unreadable`. */
export type WalkEntry = FoundEntry | UnreadableEntry;

export interface FoundEntry {
  readonly kind: 'file' | 'dir' | 'symlink' | 'other';
  readonly path: string;
  readonly sizeBytes: number;
  /** What it takes on the disk. File systems that do not count blocks give the size instead. */
  readonly diskBytes: number;
  readonly modifiedAt: EpochMs;
  readonly mode: number;
  readonly linkCount: number;
  /** The number by which its file system knows it. */
  readonly inode: number;
}

export interface UnreadableEntry {
  readonly kind: 'unreadable';
  readonly path: string;
  readonly error: string;
}

/** A directory being walked: its names in order, and the next one to look at. */
interface Level {
  readonly prefix: string;
  readonly names: readonly string[];
  next: number;
}

export interface WalkOptions {
  /** What is left out with all that is in it, by its path. */
  readonly skips?: (path: string) => boolean;
}

/**
 * Everything below a directory, sorted by name, each directory before what it holds. Never throws, never follows a symbolic link
 * below the root, never enters another file system: what cannot be read is an entry, and what vanishes meanwhile is left out.
 * The tree may change behind it, so whoever acts on an entry checks it again.
 */
export function* walkTree(root: string, { skips = () => false }: WalkOptions = {}): Generator<WalkEntry> {
  const top = openRoot(root);
  if ('kind' in top) {
    yield top;
    return;
  }
  const levels = [top.level];
  for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
    const name = level.names[level.next++];
    if (name === undefined) {
      levels.pop();
      continue;
    }
    const path = level.prefix + name;
    if (skips(path)) continue;
    const entry = look(root, path, top.device);
    if (entry === undefined) continue;
    yield entry;
    if (entry.kind !== 'dir') continue;
    const below = list(root, path);
    if (below === undefined) continue;
    if ('kind' in below) yield below;
    else levels.push(below);
  }
}

function openRoot(root: string): { level: Level; device: number } | UnreadableEntry {
  try {
    return { level: { prefix: '', names: readdirSync(root).toSorted(), next: 0 }, device: statSync(root).dev };
  } catch (error) {
    return unreadable('.', error);
  }
}

/** Undefined when it is gone. */
function look(root: string, path: string, device: number): WalkEntry | undefined {
  try {
    const stats = lstatSync(`${root}/${path}`, { throwIfNoEntry: false });
    if (stats === undefined) return missing(path);
    const entry = describe(path, stats);
    // Only directories tell: a layered file system may give files the number of the layer below.
    if (entry.kind !== 'dir' || stats.dev === device) return entry;
    return { kind: 'unreadable', path, error: 'It is on another file system.' };
  } catch (error) {
    return unreadable(path, error);
  }
}

/** Undefined when it is gone. */
function list(root: string, path: string): Level | UnreadableEntry | undefined {
  try {
    return { prefix: `${path}/`, names: readdirSync(`${root}/${path}`).toSorted(), next: 0 };
  } catch (error) {
    return errorCode(error) === 'ENOENT' ? undefined : unreadable(path, error);
  }
}

/** Bytes that are not UTF-8 were replaced when the name was read, so that it leads nowhere although the file is there. */
function missing(path: string): UnreadableEntry | undefined {
  if (path.lastIndexOf('\uFFFD') <= path.lastIndexOf('/')) return undefined;
  return { kind: 'unreadable', path, error: 'Its name is not valid UTF-8.' };
}

function describe(path: string, stats: Stats): FoundEntry {
  return {
    kind: kindOf(stats.mode),
    path,
    sizeBytes: stats.size,
    diskBytes: diskBytesOf(stats),
    modifiedAt: Math.floor(stats.mtimeMs),
    mode: stats.mode,
    linkCount: stats.nlink,
    inode: stats.ino,
  };
}

/** What something takes on the disk. Some file systems keep folders and links elsewhere and count no blocks for them, as for what is empty. */
function diskBytesOf(stats: Pick<Stats, 'mode' | 'size' | 'blocks'>): number {
  if (stats.blocks > 0) return stats.blocks * 512;
  return kindOf(stats.mode) === 'file' ? stats.size : 0;
}

/** What a folder or file itself takes, without what is in it; nothing when it is not there. */
export function ownDiskBytes(path: string): number {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat === undefined ? 0 : diskBytesOf(stat);
}

function kindOf(mode: number): FoundEntry['kind'] {
  const type = mode & constants.S_IFMT;
  if (type === constants.S_IFREG) return 'file';
  if (type === constants.S_IFDIR) return 'dir';
  return type === constants.S_IFLNK ? 'symlink' : 'other';
}

/** The system's own words without the call and the full path, which Node puts after a comma. */
function unreadable(path: string, error: unknown): UnreadableEntry {
  const message = errorText(error);
  return { kind: 'unreadable', path, error: message.split(',', 1).join() };
}
