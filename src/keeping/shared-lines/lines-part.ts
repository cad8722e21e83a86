import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fsyncSync,
  futimesSync,
  openSync,
  renameSync,
  rmSync,
  type Stats,
} from 'node:fs';
import { DirectoryHandle } from '../../platform/files/directory-handle.ts';
import { readRegular } from '../../platform/files/open-regular.ts';
import { writeAll } from '../../platform/files/write-all.ts';
import type { SharedPart } from '../file-home/file-agent.ts';
import {
  contentOf,
  copyLines,
  type LineKeys,
  linesOf,
  names,
  type SharedLines,
  withCopy,
  withoutCopy,
} from './owned-lines.ts';

/** A file in a home whose lines are of its sessions, and how its agent keeps others out while it writes there. */
export interface LinesFile {
  /** The stable word for what a session has in it. */
  readonly name: string;
  readonly file: string;
  readonly keys: LineKeys;
  /** Carries out something while the agent writes nothing there. */
  locked<T>(home: DirectoryHandle, act: () => T): Promise<T>;
}

/**
 * What sessions have in one file of lines. Its agent may append to it while it runs, under a lock of its own. Each change takes that lock
 * and puts a whole new file in place of the old one, so that no line is lost and none is told twice.
 */
export function linesPart(of: LinesFile): SharedPart {
  const { name, file, keys, locked } = of;
  return {
    name,
    obstacle(home) {
      using folder = DirectoryHandle.open(home);
      const found = folder.look(file);
      return found === undefined || isOurs(found) ? undefined : shared(file);
    },
    async copy(home, id) {
      using folder = DirectoryHandle.open(home);
      if (!names(read(folder, file), id)) return undefined;
      return await locked(folder, () => copyLines(linesOf(read(folder, file)), id, keys));
    },
    async takeOut(home, id, copy) {
      using folder = DirectoryHandle.open(home);
      await change(of, folder, (content) => (names(content, id) ? withoutCopy(linesOf(content), copy) : undefined));
    },
    async putBack(home, _, copy) {
      using folder = DirectoryHandle.open(home);
      await change(of, folder, (content) => withCopy(linesOf(content), copy, keys));
    },
  };
}

/** Only whoever holds the lock writes it, so one that is there was left by somebody who died. */
function nextOf(file: string): string {
  return `${file}.coppice-next`;
}

function shared(file: string): string {
  return `${file} is a link or has other names, so what the session has in it cannot be taken out.`;
}

function isOurs(found: Stats): boolean {
  return found.isFile() && found.nlink === 1;
}

function read(folder: DirectoryHandle, file: string): Buffer {
  const isThere = folder.look(file) !== undefined;
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW;
  return isThere ? readRegular(folder.at(file), flags) : Buffer.alloc(0);
}

/** What it is to say from now on; undefined where it is to stay as it is. */
type Change = (content: Buffer) => SharedLines | undefined;

async function change({ file, locked }: LinesFile, folder: DirectoryHandle, make: Change): Promise<void> {
  await locked(folder, () => {
    const before = folder.look(file);
    const content = read(folder, file);
    const lines = make(content);
    const after = lines === undefined ? content : contentOf(lines);
    if (after.length === content.length) rmSync(folder.at(nextOf(file)), { force: true });
    else replace(folder, file, { content: after, before });
  });
}

interface Replacement {
  readonly content: Buffer;
  readonly before: Stats | undefined;
}

function replace(folder: DirectoryHandle, file: string, { content, before }: Replacement): void {
  const next = nextOf(file);
  rmSync(folder.at(next), { force: true });
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const handle = openSync(folder.at(next), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    writeAll(handle, content);
    if (before !== undefined) keepFacts(handle, before);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(folder.at(next), folder.at(file));
  folder.sync();
}

/** Its times included: they tell when somebody last wrote there. */
function keepFacts(handle: number, { mode, uid, gid, atimeMs, mtimeMs }: Stats): void {
  // Only root can give a file away, and only of root would somebody else's file become one that its owner cannot read.
  if (process.getuid?.() === 0) fchownSync(handle, uid, gid);
  fchmodSync(handle, mode & 0o777);
  futimesSync(handle, atimeMs / 1000, mtimeMs / 1000);
}
