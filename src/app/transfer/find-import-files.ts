import { type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Problem } from '../../core/problem.ts';
import type { EpochMs } from '../../core/time.ts';
import { errorCode } from '../../platform/error-code.ts';
import { walkTree } from '../../platform/files/walk-tree.ts';

export interface ImportFile {
  readonly path: string;
  readonly sizeBytes: number;
  readonly modifiedAt: EpochMs;
}

export interface FoundFiles {
  readonly files: readonly ImportFile[];
  /** Per folder, how many files are not for import. */
  readonly leftAlone: readonly { readonly path: string; readonly files: number }[];
  readonly unreadable: readonly Problem[];
}

/** What the paths name: files as they are, and of folders every .jsonl and .ndjson file below, links not followed. */
export function findImportFiles(paths: readonly string[]): FoundFiles {
  const found: Finding = { files: [], leftAlone: [], unreadable: [] };
  for (const path of paths) {
    const stats = lookAt(path);
    if (typeof stats === 'string') found.unreadable.push(unreadable(path, stats));
    else if (stats.isDirectory()) searchFolder(path, found);
    else if (stats.isFile()) found.files.push({ path, sizeBytes: stats.size, modifiedAt: stats.mtimeMs });
    else found.unreadable.push(unreadable(path, 'it is neither a file nor a folder'));
  }
  return found;
}

type Finding = { [K in keyof FoundFiles]: FoundFiles[K][number][] };

function searchFolder(root: string, found: Finding): void {
  let others = 0;
  for (const entry of walkTree(root)) {
    if (entry.kind === 'dir') continue;
    const path = join(root, entry.path);
    if (entry.kind === 'unreadable') found.unreadable.push(unreadable(path, entry.error));
    else if (entry.kind === 'file' && /\.(?:jsonl|ndjson)$/i.test(entry.path)) found.files.push({ ...entry, path });
    else others += 1;
  }
  if (others > 0) found.leftAlone.push({ path: root, files: others });
}

function lookAt(path: string): Stats | string {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? 'it does not exist';
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    return `the system says ${code}`;
  }
}

function unreadable(path: string, reason: string): Problem {
  return {
    kind: 'unreadable-path',
    subject: path,
    message: `${path} cannot be read: ${reason}.`,
    hint: 'Check the name and the permissions, then import it again.',
  };
}
