import { type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Problem } from '../../core/problem.ts';
import type { EpochMs } from '../../core/time.ts';
import { errorCode } from '../../platform/error-code.ts';
import { walkTree } from '../../platform/files/walk-tree.ts';
import type { KnownFile, KnownFormats } from './transcripts/known-formats.ts';

export interface ImportFile {
  readonly path: string;
  readonly sizeBytes: number;
  readonly modifiedAt: EpochMs;
  /** Which agent wrote it, where that was looked at already. */
  readonly known?: KnownFile;
}

export interface FoundFiles {
  readonly files: readonly ImportFile[];
  /** Per folder, how many files are not for import. */
  readonly leftAlone: readonly { readonly path: string; readonly files: number }[];
  readonly unreadable: readonly Problem[];
}

/** What the paths name: files as they are, and of folders what may be a transcript, links not followed. */
export function findImportFiles(paths: readonly string[], formats: KnownFormats): FoundFiles {
  const found: Finding = { files: [], leftAlone: [], unreadable: [] };
  for (const path of paths) {
    const stats = lookAt(path);
    if (typeof stats === 'string') found.unreadable.push(unreadable(path, stats));
    else if (stats.isDirectory()) searchFolder(path, found, formats);
    else if (stats.isFile()) found.files.push({ path, sizeBytes: stats.size, modifiedAt: stats.mtimeMs });
    else found.unreadable.push(unreadable(path, 'it is neither a file nor a folder'));
  }
  return found;
}

type Finding = { [K in keyof FoundFiles]: FoundFiles[K][number][] };

function searchFolder(root: string, found: Finding, formats: KnownFormats): void {
  let others = 0;
  for (const entry of walkTree(root)) {
    if (entry.kind === 'dir') continue;
    const path = join(root, entry.path);
    if (entry.kind === 'unreadable') found.unreadable.push(unreadable(path, entry.error));
    else {
      const file = entry.kind === 'file' ? candidate({ ...entry, path }, formats) : undefined;
      if (file === undefined) others += 1;
      else found.files.push(file);
    }
  }
  if (others > 0) found.leftAlone.push({ path: root, files: others });
}

/** Lines are read in any case. Other files are only taken when somebody knows them: folders are full of documents that are no talk. */
function candidate(file: ImportFile, formats: KnownFormats): ImportFile | undefined {
  if (/\.(?:jsonl|ndjson)$/i.test(file.path)) return file;
  if (!/\.(?:json|db|jsonl\.zst)$/i.test(file.path)) return undefined;
  const known = formats.recognise(file.path);
  return known?.role === 'transcript' ? { ...file, known } : undefined;
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
