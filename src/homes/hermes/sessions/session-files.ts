import { lstatSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { listNames } from '../../../platform/files/list-names.ts';
import { fileOwners } from './hermes-files.ts';
import { type FileBytes, NO_FILES } from './hermes-session-item.ts';

/** What each sort of file counts as. A snapshot is the whole conversation once more, as a transcript is. */
export const FILE_PART = { transcript: 'transcript', snapshot: 'transcript', dump: 'dumps', json: 'other' } as const;

/** A file in `sessions/` that belongs to one session for certain. */
export interface SessionFile {
  readonly name: string;
  readonly part: keyof FileBytes;
}

export interface SessionFiles {
  of(id: string): readonly SessionFile[];
  /** The name is one that Hermes gives to files of sessions, and no session has it. */
  isOrphan(name: string): boolean;
}

/** Says whose the files in `sessions/` are, by their names now. `ids` are all sessions that exist or are just being taken. */
export function listSessionFiles(home: string, ids: Iterable<string>): SessionFiles {
  const classify = fileOwners(ids);
  const byOwner = new Map<string, SessionFile[]>();
  for (const name of listNames(join(home, 'sessions'))) {
    const file = classify(name);
    if (!('owner' in file) || file.owner === undefined) continue;
    const own = byOwner.get(file.owner) ?? [];
    own.push({ name, part: FILE_PART[file.kind] });
    byOwner.set(file.owner, own);
  }
  return {
    of: (id) => byOwner.get(id) ?? [],
    isOrphan(name) {
      const file = classify(name);
      return file.kind in FILE_PART && !('owner' in file);
    },
  };
}

/** A file with what the system says of it now. Nothing for what is no plain file. */
export interface SeenFile extends SessionFile {
  readonly stat: Pick<Stats, 'size' | 'nlink'> | undefined;
}

/** Looks at files of sessions where they belong. */
export function lookAtFiles(home: string, files: readonly SessionFile[]): readonly SeenFile[] {
  return files.map((file) => ({ ...file, stat: plainFile(join(home, 'sessions', file.name)) }));
}

/** Whether this is a file and no link to one. */
export function plainFile(path: string): Stats | undefined {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat?.isFile() === true ? stat : undefined;
}

/** The bytes of files by what they count as. */
export function sumSizes(files: readonly SeenFile[]): FileBytes {
  const sums = { ...NO_FILES };
  for (const { part, stat } of files) sums[part] += stat?.size ?? 0;
  return sums;
}
