import type { FileClass, StrayItem } from '../../core/inventory.ts';
import type { Problem } from '../../core/problem.ts';
import { type FoundEntry, type UnreadableEntry, walkTree } from '../../platform/walk-tree.ts';
import { fileOwners, type HermesFile } from './hermes-files.ts';
import { classOf, type HermesClass, sumClasses } from './hermes-growers.ts';
import { type FileBytes, NO_FILES } from './hermes-session-item.ts';
import { FILE_PART } from './session-files.ts';

/** What the files of a home come to. Every file is in exactly one place: with its session, a stray, a class or a problem. */
export interface HermesTree {
  /** Whoever has used an entry may take it out: there may be very many. */
  readonly bytesOf: Map<string, FileBytes>;
  /** The same of all sessions together. */
  readonly sessionFiles: Readonly<Record<keyof FileBytes, FileSum>>;
  readonly strays: readonly StrayItem[];
  readonly classes: readonly HermesClass[];
  readonly problems: readonly Problem[];
  /** All of it but the profiles, which are homes of their own. */
  readonly usedBytes: number;
}

export interface FileSum {
  readonly files: number;
  readonly sizeBytes: number;
}

/** Walks a home once and says whose each file is. `ids` are the sessions that exist. */
export function walkHermes(home: string, ids: Iterable<string>, signal?: AbortSignal): HermesTree {
  const classify = fileOwners(ids);
  const classes = sumClasses();
  const sessions = sortSessionFiles();
  const unknown = new Map<string, FileSum>();
  const unreadable: Problem[] = [];
  let usedBytes = 0;
  const place = (entry: FoundEntry) => {
    const name = classOf(entry.path);
    if (name === undefined) addUnknown(unknown, entry);
    else classes.add(name, entry);
    if (name === 'profile') usedBytes -= entry.sizeBytes;
  };
  for (const entry of walkTree(home)) {
    signal?.throwIfAborted();
    if (entry.kind === 'unreadable') unreadable.push(cannotRead(entry));
    if (entry.kind === 'unreadable' || entry.kind === 'dir') continue;
    usedBytes += entry.sizeBytes;
    if (!entry.path.startsWith(SESSIONS)) place(entry);
    else if (entry.kind === 'file') sessions.add(entry, classify(entry.path.slice(SESSIONS.length)));
    else sessions.add(entry, { kind: 'unknown' });
  }
  return {
    bytesOf: sessions.bytesOf,
    sessionFiles: sessions.sums,
    strays: sessions.strays,
    classes: classes.sums(),
    problems: [...unreadable, ...sessions.problems, ...[...unknown].map(notKnown)],
    usedBytes,
  };
}

/** All of it by sort, what belongs to sessions included. */
export function fileClasses({ sessionFiles, classes }: HermesTree): readonly FileClass[] {
  const { transcript, dumps } = sessionFiles;
  const sessions = [
    { name: 'transcript', ...transcript, unbounded: false },
    { name: 'dump', ...dumps, unbounded: true },
  ];
  return [...sessions.filter(({ files }) => files > 0), ...classes];
}

const SESSIONS = 'sessions/';

function sortSessionFiles() {
  const bytesOf = new Map<string, FileBytes>();
  const sums = { transcript: NO_FILE, dumps: NO_FILE, other: NO_FILE };
  const strays: StrayItem[] = [];
  const problems: Problem[] = [];
  return {
    bytesOf,
    sums,
    strays,
    problems,
    add(entry: FoundEntry, file: HermesFile): void {
      if (file.kind === 'kept') return;
      if (file.kind === 'unknown' || file.kind === 'ambiguous') problems.push(leftAlone(entry.path, file.kind));
      else if (file.owner === undefined) strays.push(orphan(entry));
      else {
        const bytes = bytesOf.get(file.owner) ?? NO_FILES;
        const part = FILE_PART[file.kind];
        bytesOf.set(file.owner, { ...bytes, [part]: bytes[part] + entry.sizeBytes });
        sums[part] = plus(sums[part], entry);
      }
    },
  };
}

function orphan({ path, modifiedAt, sizeBytes }: FoundEntry): StrayItem {
  return { kind: 'orphan', id: path, lastActiveAt: modifiedAt, sizeBytes, fingerprint: `${modifiedAt}:${sizeBytes}` };
}

/** One sum for each name at the top of the home: what lies below is as unknown as what lies above it. */
function addUnknown(sums: Map<string, FileSum>, entry: FoundEntry): void {
  const top = entry.path.split('/', 1).join();
  sums.set(top, plus(sums.get(top) ?? NO_FILE, entry));
}

const NO_FILE: FileSum = { files: 0, sizeBytes: 0 };

function plus({ files, sizeBytes }: FileSum, entry: FoundEntry): FileSum {
  return { files: files + 1, sizeBytes: sizeBytes + entry.sizeBytes };
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
