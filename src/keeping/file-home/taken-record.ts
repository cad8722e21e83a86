import { closeSync, constants, openSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isJsonObject } from '../../core/json.ts';
import type { RunItem } from '../../core/retention/run.ts';
import { openBelow } from '../../platform/files/directory-handle.ts';
import { readRegular } from '../../platform/files/open-regular.ts';
import { errorCode } from '../../platform/error-code.ts';
import type { TreeFile } from './home-tree.ts';
import type { SessionPiece } from './session-pieces.ts';

/**
 * What is taken of one item, in its place in the trash of a run. It is on the disk before the first file moves, so that whoever comes
 * after a crash knows what was meant.
 */
export interface TakenRecord {
  readonly version: 1;
  readonly kind: RunItem['item']['kind'];
  readonly id: string;
  readonly pieces: readonly TakenPiece[];
  /** What it had in files that sessions share, by the names of those parts. */
  readonly shared: readonly { readonly name: string; readonly copy: string }[];
}

export interface TakenPiece {
  /** Where it was in the home. */
  readonly path: string;
  /** Where it is in the place of the item: names in the home may be too long, or in each other's way. */
  readonly as: string;
  readonly role: SessionPiece['role'];
  readonly files: readonly Pick<TreeFile, 'path' | 'sizeBytes' | 'modifiedAt'>[];
}

/** What secrets lie in: nothing of it goes into an archive. */
export const SECRETS = 'secret';
export const FILES = 'files';
const RECORD = 'record.json';

export function takenPieces(pieces: readonly SessionPiece[]): readonly TakenPiece[] {
  return pieces.map(({ path, role, secret, files }, at) => ({
    path,
    as: `${secret ? SECRETS : FILES}/${at + 1}`,
    role,
    files: files.map(({ path: of, sizeBytes, modifiedAt }) => ({ path: of, sizeBytes, modifiedAt })),
  }));
}

/** Where the record of an item is. */
export function recordPath(place: string): string {
  return join(place, RECORD);
}

/** Writes it, and makes the folders that it speaks of. The caller makes it durable, together with others. Returns what to sync for that. */
export function writeRecord(home: string, place: string, record: TakenRecord): readonly string[] {
  const folders = [...new Set(record.pieces.map(({ as }) => dirname(join(place, as))))];
  for (const folder of folders) openBelow(home, folder, { create: true })[Symbol.dispose]();
  using above = openBelow(home, place, { create: true });
  const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;
  const handle = openSync(above.at(RECORD), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o600);
  try {
    writeFileSync(handle, JSON.stringify(record));
  } finally {
    closeSync(handle);
  }
  return [recordPath(place), ...folders, place, dirname(place)];
}

/** The record of an item; undefined where none was written to its end, and then nothing was moved. */
export function readRecord(home: string, place: string): TakenRecord | undefined {
  using folder = openBelow(home, place);
  if (folder === undefined) return undefined;
  const { O_RDONLY, O_NOFOLLOW } = constants;
  let text: string;
  try {
    text = readRegular(folder.at(basename(RECORD)), O_RDONLY | O_NOFOLLOW).toString();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  return parseRecord(text);
}

/** Undefined for what a crash cut off. */
export function parseRecord(text: string): TakenRecord | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) && value['version'] === 1 ? (value as unknown as TakenRecord) : undefined;
  } catch {
    return undefined;
  }
}
