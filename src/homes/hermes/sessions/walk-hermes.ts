import type { Problem } from '../../../core/problem.ts';
import type { DiskParts, FileClass, StrayItem } from '../../../core/retention/inventory.ts';
import { type FoundEntry, ownDiskBytes, type UnreadableEntry, walkTree } from '../../../platform/files/walk-tree.ts';
import { fileOwners, type HermesFile } from './hermes-files.ts';
import { classOf, type HermesClass, sumClasses } from './hermes-growers.ts';
import { hermesParts, type PartSums, sumParts } from './hermes-parts.ts';
import { type FileBytes, NOTHING_OWNED, type OwnedBytes } from './hermes-session-item.ts';
import { FILE_PART } from './session-files.ts';

/** What the files of a home come to. Every file is in exactly one place: with its session, a stray, a class or a problem. */
export interface HermesTree {
  /** Whoever has used an entry may take it out: there may be very many. */
  readonly bytesOf: Map<string, OwnedBytes>;
  /** The same of all sessions together. */
  readonly sessionFiles: Readonly<Record<keyof FileBytes | 'orphan' | 'left', FileSum>>;
  readonly strays: readonly StrayItem[];
  readonly classes: readonly HermesClass[];
  readonly problems: readonly Problem[];
  /** What is outside of `sessions/` on the disk, by part, but the profiles, which are homes of their own. */
  readonly parts: PartSums;
  /** The folders among it, and what nobody knows. */
  readonly rest: { readonly folderBytes: number; readonly unknown: FileSum };
}

export interface FileSum {
  readonly files: number;
  readonly sizeBytes: number;
  readonly diskBytes: number;
}

/** Walks a home once and says whose each file is. `ids` are the sessions that exist. */
export function walkHermes(home: string, ids: Iterable<string>, signal?: AbortSignal): HermesTree {
  const classify = fileOwners(ids);
  const classes = sumClasses();
  const sessions = sortSessionFiles();
  const unknown = new Map<string, FileSum>();
  const unreadable: Problem[] = [];
  const parts = sumParts();
  let folderBytes = 0;
  const addFolder = (path: string, diskBytes: number) => {
    if (classOf(path) === 'profile') return;
    folderBytes += diskBytes;
    parts.add(path, diskBytes);
  };
  addFolder('', ownDiskBytes(home));
  const place = (entry: FoundEntry) => {
    const name = classOf(entry.path);
    if (name === undefined) addUnknown(unknown, entry);
    else classes.add(name, entry);
    if (name !== 'profile') parts.add(entry.path, entry.diskBytes);
  };
  for (const entry of walkTree(home)) {
    signal?.throwIfAborted();
    if (entry.kind === 'unreadable') unreadable.push(cannotRead(entry));
    else if (entry.kind === 'dir') addFolder(`${entry.path}/`, entry.diskBytes);
    else if (!entry.path.startsWith(SESSIONS)) place(entry);
    else if (entry.kind === 'file') sessions.add(entry, classify(entry.path.slice(SESSIONS.length)));
    else sessions.add(entry, { kind: 'unknown' });
  }
  const left = [...unknown.values()].reduce(together, NO_FILE);
  return {
    bytesOf: sessions.bytesOf,
    sessionFiles: sessions.sums,
    strays: sessions.strays,
    classes: classes.sums(),
    problems: [...unreadable, ...sessions.problems, ...[...unknown].map(notKnown)],
    parts,
    rest: { folderBytes, unknown: left },
  };
}

/** All of it by sort as the disk counts it, what belongs to sessions, folders and what is not known included. */
export function fileClasses({ sessionFiles, classes, rest }: HermesTree): readonly FileClass[] {
  const { transcript, dumps, other, orphan, left } = sessionFiles;
  const sorts: FileClass[] = [
    { name: 'transcript', ...sized(transcript), unbounded: false },
    { name: 'dump', ...sized(dumps), unbounded: true },
    { name: 'session-file', ...sized(together(other, left)), unbounded: false },
    { name: 'orphan', ...sized(orphan), unbounded: true },
    ...classes,
    { name: 'unknown', ...sized(rest.unknown), unbounded: false },
    { name: 'folder', files: 0, sizeBytes: rest.folderBytes, unbounded: false },
  ];
  return sorts.filter(({ files, sizeBytes }) => files > 0 || sizeBytes > 0);
}

function sized({ files, diskBytes }: FileSum): Pick<FileClass, 'files' | 'sizeBytes'> {
  return { files, sizeBytes: diskBytes };
}

/** What the parts of an inventory come to. `rowBytes` are the contents of its database. */
export function treeParts({ parts: sums, sessionFiles }: HermesTree, rowBytes: number): DiskParts {
  const { transcript, dumps, other, orphan, left } = sessionFiles;
  return hermesParts({
    sums,
    rowBytes,
    sessionFiles: transcript.diskBytes + dumps.diskBytes + other.diskBytes,
    strays: orphan.diskBytes,
    leftFiles: left.diskBytes,
  });
}

const SESSIONS = 'sessions/';

function sortSessionFiles() {
  const bytesOf = new Map<string, OwnedBytes>();
  const sums = { transcript: NO_FILE, dumps: NO_FILE, other: NO_FILE, orphan: NO_FILE, left: NO_FILE };
  const strays: StrayItem[] = [];
  const problems: Problem[] = [];
  return {
    bytesOf,
    sums,
    strays,
    problems,
    add(entry: FoundEntry, file: HermesFile): void {
      if (file.kind === 'kept' || file.kind === 'unknown' || file.kind === 'ambiguous') {
        if (file.kind !== 'kept') problems.push(leftAlone(entry.path, file.kind));
        sums.left = plus(sums.left, entry);
      } else if (file.owner === undefined) {
        strays.push(orphanItem(entry));
        sums.orphan = plus(sums.orphan, entry);
      } else {
        const { held, onDisk } = bytesOf.get(file.owner) ?? NOTHING_OWNED;
        const part = FILE_PART[file.kind];
        bytesOf.set(file.owner, {
          held: { ...held, [part]: held[part] + entry.sizeBytes },
          onDisk: { ...onDisk, [part]: onDisk[part] + entry.diskBytes },
        });
        sums[part] = plus(sums[part], entry);
      }
    },
  };
}

function orphanItem({ path, modifiedAt, sizeBytes, diskBytes }: FoundEntry): StrayItem {
  const fingerprint = `${modifiedAt}:${sizeBytes}`;
  return { kind: 'orphan', id: path, lastActiveAt: modifiedAt, sizeBytes: diskBytes, fingerprint };
}

/** One sum for each name at the top of the home: what lies below is as unknown as what lies above it. */
function addUnknown(sums: Map<string, FileSum>, entry: FoundEntry): void {
  const top = entry.path.split('/', 1).join();
  sums.set(top, plus(sums.get(top) ?? NO_FILE, entry));
}

const NO_FILE: FileSum = { files: 0, sizeBytes: 0, diskBytes: 0 };

function plus(sum: FileSum, { sizeBytes, diskBytes }: FoundEntry): FileSum {
  return together(sum, { files: 1, sizeBytes, diskBytes });
}

function together(one: FileSum, other: FileSum): FileSum {
  return {
    files: one.files + other.files,
    sizeBytes: one.sizeBytes + other.sizeBytes,
    diskBytes: one.diskBytes + other.diskBytes,
  };
}

function notKnown([path, { files, sizeBytes }]: [string, FileSum]): Problem {
  const size = files === 1 ? `${sizeBytes} bytes` : `${files} files, ${sizeBytes} bytes`;
  const message = `${path} holds what Hermes is not known to write (${size}). It is left alone.`;
  return { kind: 'unknown-file', subject: path, message };
}

function leftAlone(path: string, kind: 'unknown' | 'ambiguous'): Problem {
  const message =
    kind === 'unknown'
      ? `${path} is not a file that Hermes is known to write. It is left alone.`
      : `${path} could belong to more than one session. It is left alone.`;
  return { kind: kind === 'unknown' ? 'unknown-file' : 'ambiguous-file', subject: path, message };
}

function cannotRead({ path, error }: UnreadableEntry): Problem {
  return { kind: 'unreadable', subject: path, message: `${path} cannot be read: ${error.replace(/\.$/, '')}.` };
}
