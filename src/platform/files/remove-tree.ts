import { rmdirSync, unlinkSync } from 'node:fs';
import { rmdir, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Failure } from '../../core/failure.ts';
import { errorCode } from '../error-code.ts';
import { type DirectoryHandle, type Identity, isSame, openBelow } from './directory-handle.ts';

/** What `blocks` counts in, whatever the file system. */
const BLOCK_BYTES = 512;
/** Removals that are under way at once: as many as keep the system busy, however many files there are. */
const AT_ONCE = 64;

/**
 * Removes a file below `root`, or a folder with all that is in it, and returns what that took on the disk. The disk works while
 * the caller does something else. What is there no more is as good as removed; what is on another file system, or behind a link, is
 * refused, and what can be seen of that beforehand leaves all of it as it is. Nothing goes on behind a failure.
 */
export async function removeTree(root: string, path: string): Promise<number> {
  using folder = openBelow(root, dirname(path));
  const found = folder && lookThrough(folder, basename(path));
  if (folder === undefined || found === undefined) return 0;
  await remove(folder, found);
  return diskBytesOf(found);
}

/**
 * Removes a name in an open folder at once, with all that is in it, by the same rules: for what is small, and for files whatever their
 * number.
 */
export function removeIn(folder: DirectoryHandle, name: string): void {
  const found = lookThrough(folder, name);
  if (found !== undefined) removeNow(folder, found);
}

/** The same below `root`. Each folder that holds some of these paths is opened once. */
export function removeBelow(root: string, paths: readonly string[]): void {
  const namesByFolder = new Map<string, string[]>();
  for (const path of paths) {
    const names = namesByFolder.get(dirname(path));
    if (names === undefined) namesByFolder.set(dirname(path), [basename(path)]);
    else names.push(basename(path));
  }
  for (const [dir, names] of namesByFolder) {
    using folder = openBelow(root, dir);
    if (folder !== undefined) for (const name of names) removeIn(folder, name);
  }
}

interface Found {
  readonly name: string;
  readonly diskBytes: number;
  /** Of a folder. */
  readonly inside?: { readonly identity: Identity; readonly found: readonly Found[] };
}

function lookThrough(folder: DirectoryHandle, name: string): Found | undefined {
  const stat = folder.look(name);
  if (stat === undefined) {
    // Bytes that are not UTF-8 were replaced when the name was read, so that it leads nowhere although the file is there.
    if (name.includes('\uFFFD')) throw notRemoved(join(folder.path, name), 'Its name is not valid UTF-8');
    return undefined;
  }
  const diskBytes = stat.blocks * BLOCK_BYTES;
  if (!stat.isDirectory()) return { name, diskBytes };
  using inner = folder.folder(name);
  if (inner === undefined) return undefined;
  // Such as one that somebody mounted inside: what is on it is not ours.
  if (inner.identity.device !== folder.identity.device) throw notRemoved(inner.path, 'It is on another file system');
  const found = inner.names().flatMap((each) => lookThrough(inner, each) ?? []);
  return { name, diskBytes, inside: { identity: inner.identity, found } };
}

async function remove(folder: DirectoryHandle, { name, inside }: Found): Promise<void> {
  if (inside === undefined) return gone(unlink, folder.at(name));
  using inner = openSame(folder, name, inside.identity);
  if (inner === undefined) return;
  const files = inside.found.filter((each) => each.inside === undefined);
  for (let first = 0; first < files.length; first += AT_ONCE) {
    const removals = await Promise.allSettled(files.slice(first, first + AT_ONCE).map((file) => remove(inner, file)));
    for (const removal of removals) if (removal.status === 'rejected') throw removal.reason;
  }
  for (const each of inside.found) if (each.inside !== undefined) await remove(inner, each);
  await gone(rmdir, folder.at(name));
}

function removeNow(folder: DirectoryHandle, { name, inside }: Found): void {
  if (inside === undefined) return goneNow(unlinkSync, folder.at(name));
  using inner = openSame(folder, name, inside.identity);
  if (inner === undefined) return;
  for (const each of inside.found) removeNow(inner, each);
  goneNow(rmdirSync, folder.at(name));
}

function openSame(folder: DirectoryHandle, name: string, identity: Identity): DirectoryHandle | undefined {
  const inner = folder.folder(name);
  if (inner === undefined || isSame(inner.identity, identity)) return inner;
  inner[Symbol.dispose]();
  throw notRemoved(inner.path, 'Another folder has taken its place');
}

function goneNow(removeIt: (path: string) => void, path: string): void {
  try {
    removeIt(path);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}

async function gone(removeIt: (path: string) => Promise<void>, path: string): Promise<void> {
  try {
    await removeIt(path);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}

function diskBytesOf({ diskBytes, inside }: Found): number {
  return (inside?.found ?? []).reduce((sum, each) => sum + diskBytesOf(each), diskBytes);
}

function notRemoved(path: string, why: string): Failure {
  return new Failure('refused', `${path} was not removed: ${why}.`, {
    hint: 'It stays where it is until that is settled.',
  });
}
