import { isUtf8 } from 'node:buffer';
import { type BigIntStats, closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { errorText } from '../../core/error-text.ts';
import { Failure } from '../../core/failure.ts';
import { errorCode } from '../../platform/error-code.ts';
import type { DirectoryHandle } from '../../platform/files/directory-handle.ts';
import { escapeJson, MOST_ESCAPED } from './escape-json.ts';

/** A file or folder of a session's directory, as an archive describes it. `.` is the directory itself. */
export interface ArchiveEntry {
  readonly kind: 'file' | 'folder';
  readonly path: string;
  readonly mode: number;
  /** Microseconds since 1970: the finest that can be set again. */
  readonly modifiedAtUs: number;
  /** Of files. */
  readonly sizeBytes?: number;
}

/** A stretch of the file before it: text where it is text, so that an archive can be read by eye. */
export type ArchiveData =
  | { readonly kind: 'data'; readonly utf8: string }
  | { readonly kind: 'data'; readonly base64: string };

/** Something in a session's directory. Its content can be read until the next one is asked for; a folder has none. */
export interface FoundEntry {
  readonly entry: ArchiveEntry;
  readonly data: () => Iterable<Buffer>;
}

export interface EntryOptions {
  /** Files may have other names: their content goes into the archive, and comes back as a file of its own. */
  readonly linked?: boolean;
}

/**
 * Everything in a session's directory, folders before what they hold, reached through the open directory alone. Refuses what an
 * archive could not bring back.
 */
export function* archiveEntries(directory: DirectoryHandle, options: EntryOptions = {}): Generator<FoundEntry> {
  yield folderEntry('.', directory);
  yield* entriesIn(directory, { prefix: '', options });
}

interface Below {
  readonly prefix: string;
  readonly options: EntryOptions;
}

function* entriesIn(folder: DirectoryHandle, { prefix, options }: Below): Generator<FoundEntry> {
  for (const name of orUnreadable(folder.path, () => folder.names().toSorted())) {
    const path = prefix + name;
    const stat = orUnreadable(join(folder.path, name), () => folder.lookExactly(name));
    if (stat === undefined) refuseUnreachable(folder, name);
    else if (stat.isDirectory()) {
      using inner = orUnreadable(join(folder.path, name), () => folder.folder(name));
      if (inner === undefined) continue;
      if (inner.identity.device !== folder.identity.device) throw refused(inner.path, 'is on another file system.');
      yield folderEntry(path, inner);
      yield* entriesIn(inner, { prefix: `${path}/`, options });
    } else {
      refuseOthers(join(folder.path, name), stat, options);
      yield fileEntry({ folder, name, path, options }, stat);
    }
  }
}

/** The bytes of a stretch. */
export function dataBytes(data: ArchiveData): Buffer {
  return 'utf8' in data ? Buffer.from(data.utf8) : Buffer.from(data.base64, 'base64');
}

const STRETCH_BYTES = 16 * 1024;
/** More than what a line holds beside the bytes of its stretch. */
const LINE_OVERHEAD_BYTES = 64;

function folderEntry(path: string, folder: DirectoryHandle): FoundEntry {
  return { entry: { kind: 'folder', ...factsOf(path, folder.facts()) }, data: () => [] };
}

interface Spot {
  readonly folder: DirectoryHandle;
  readonly name: string;
  readonly path: string;
  readonly options: EntryOptions;
}

function fileEntry(spot: Spot, stat: BigIntStats): FoundEntry {
  const sizeBytes = Number(stat.size);
  return {
    entry: { kind: 'file', ...factsOf(spot.path, stat), sizeBytes },
    data: () => archiveData(spot, sizeBytes),
  };
}

function factsOf(path: string, { mode, mtimeNs }: BigIntStats) {
  return { path, mode: Number(mode) & 0o7777, modifiedAtUs: Number(mtimeNs / 1000n) };
}

/**
 * The content of a file as lines of `ArchiveData`, one for each stretch. Refuses one that is not as long as its entry says, or that
 * another thing took the place of. A line is good until the next one is asked for: all of them are made in the same memory.
 */
function* archiveData({ folder, name, options }: Spot, sizeBytes: number): Generator<Buffer> {
  const file = join(folder.path, name);
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const handle = openSync(folder.at(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    refuseOthers(file, fstatSync(handle, { bigint: true }), options);
    const stretch = Buffer.allocUnsafe(Math.min(STRETCH_BYTES, sizeBytes + 1));
    const line = Buffer.allocUnsafe(stretch.length * MOST_ESCAPED + LINE_OVERHEAD_BYTES);
    let at = 0;
    for (let length = -1; length !== 0; at += length) {
      length = wholeCharacters(stretch.subarray(0, readSync(handle, stretch, 0, stretch.length, at)));
      if (length > 0) yield line.subarray(0, writeLine(line, stretch.subarray(0, length)));
    }
    if (at !== sizeBytes) throw refused(file, 'changed while it was read.');
  } finally {
    closeSync(handle);
  }
}

/** How much of a stretch to take so that no character is cut in two; all of it where that is no text. */
function wholeCharacters(bytes: Buffer): number {
  if (bytes.length < STRETCH_BYTES) return bytes.length;
  for (let cut = 0; cut < 4; cut += 1) if (isUtf8(bytes.subarray(0, bytes.length - cut))) return bytes.length - cut;
  return bytes.length;
}

function writeLine(line: Buffer, bytes: Buffer): number {
  if (!isUtf8(bytes)) return line.write(`{"kind":"data","base64":"${bytes.toString('base64')}"}`, 'latin1');
  const start = line.write('{"kind":"data","utf8":"', 'latin1');
  const end = escapeJson(bytes, line, start);
  return end + line.write('"}', end, 'latin1');
}

/** Bytes that are not UTF-8 were replaced when a name was read, so that it leads nowhere. What else is gone just vanished. */
function refuseUnreachable({ path }: DirectoryHandle, name: string): void {
  if (name.includes('\uFFFD')) throw refused(join(path, name), 'cannot be read: Its name is not valid UTF-8.');
}

function refuseOthers(path: string, stat: BigIntStats, { linked = false }: EntryOptions): void {
  if (!stat.isFile()) throw refused(path, 'is neither a file nor a folder.');
  if (stat.nlink > 1n && !linked) throw refused(path, 'has other names.');
}

/** What the system does not let anybody read is a sentence about its path. */
function orUnreadable<T>(path: string, look: () => T): T {
  try {
    return look();
  } catch (error) {
    if (error instanceof Failure || errorCode(error) === undefined) throw error;
    throw refused(path, `cannot be read: ${errorText(error).split(',', 1).join()}`);
  }
}

function refused(path: string, what: string): Failure {
  return new Failure('refused', `${path} ${what}`);
}
