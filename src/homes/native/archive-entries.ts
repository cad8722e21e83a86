import { isUtf8 } from 'node:buffer';
import { closeSync, constants, lstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../core/failure.ts';
import { walkTree } from '../../platform/files/walk-tree.ts';
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

/** Everything in a session's directory, folders before what they hold. Refuses what an archive could not bring back. */
export function* archiveEntries(directory: string): Generator<ArchiveEntry> {
  if (lstatSync(directory, { throwIfNoEntry: false }) === undefined) return;
  yield entryAt(directory, '.');
  for (const found of walkTree(directory)) {
    if (found.kind === 'unreadable') throw refused(join(directory, found.path), `cannot be read: ${found.error}`);
    if (found.kind !== 'file' && found.kind !== 'dir')
      throw refused(join(directory, found.path), 'is neither a file nor a folder.');
    if (found.kind === 'file' && found.linkCount > 1) throw refused(join(directory, found.path), 'has other names.');
    yield entryAt(directory, found.path);
  }
}

/**
 * The content of a file as lines of `ArchiveData`, one for each stretch. Refuses one that is not as long as its entry says. A line
 * is good until the next one is asked for: all of them are made in the same memory.
 */
export function* archiveData(directory: string, { path, sizeBytes = 0 }: ArchiveEntry): Generator<Buffer> {
  const file = join(directory, path);
  const handle = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
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

/** The bytes of a stretch. */
export function dataBytes(data: ArchiveData): Buffer {
  return 'utf8' in data ? Buffer.from(data.utf8) : Buffer.from(data.base64, 'base64');
}

const STRETCH_BYTES = 16 * 1024;
/** More than what a line holds beside the bytes of its stretch. */
const LINE_OVERHEAD_BYTES = 64;

function entryAt(directory: string, path: string): ArchiveEntry {
  const stat = lstatSync(join(directory, path), { bigint: true });
  const about = { path, mode: Number(stat.mode) & 0o7777, modifiedAtUs: Number(stat.mtimeNs / 1000n) };
  return stat.isDirectory() ? { kind: 'folder', ...about } : { kind: 'file', ...about, sizeBytes: Number(stat.size) };
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

function refused(path: string, what: string): Failure {
  return new Failure('refused', `${path} ${what}`);
}
