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
import type { SharedPart } from '../../keeping/file-home/file-agent.ts';
import { DirectoryHandle } from '../../platform/files/directory-handle.ts';
import { readRegular } from '../../platform/files/open-regular.ts';
import { writeAll } from '../../platform/files/write-all.ts';
import { contentOf, copyLines, type HistoryLines, linesOf, names, withCopy, withoutCopy } from './history-lines.ts';
import { withHistoryLock } from './history-lock.ts';

const HISTORY = 'history.jsonl';
/** Only whoever holds the lock writes it, so one that is there was left by somebody who died. */
const NEXT = `${HISTORY}.coppice-next`;

/**
 * What people typed, of all sessions in one file. Claude Code appends to it while it runs, under a lock of its own. Each change takes
 * that lock and puts a whole new file in place of the old one, so that no prompt is lost and none is told twice.
 */
export const promptHistory: SharedPart = {
  name: 'prompt-history',
  obstacle(home) {
    using folder = DirectoryHandle.open(home);
    const found = folder.look(HISTORY);
    return found === undefined || isOurs(found) ? undefined : SHARED;
  },
  async copy(home, id) {
    using folder = DirectoryHandle.open(home);
    if (!names(read(folder), id)) return undefined;
    return await withHistoryLock(folder, () => copyLines(linesOf(read(folder)), id));
  },
  async takeOut(home, id, copy) {
    using folder = DirectoryHandle.open(home);
    await change(folder, (content) => (names(content, id) ? withoutCopy(linesOf(content), copy) : undefined));
  },
  async putBack(home, _, copy) {
    using folder = DirectoryHandle.open(home);
    await change(folder, (content) => withCopy(linesOf(content), copy));
  },
};

const SHARED = `${HISTORY} is a link or has other names, so what was typed in the session cannot be taken out of it.`;

function isOurs(found: Stats): boolean {
  return found.isFile() && found.nlink === 1;
}

function read(folder: DirectoryHandle): Buffer {
  const isThere = folder.look(HISTORY) !== undefined;
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW;
  return isThere ? readRegular(folder.at(HISTORY), flags) : Buffer.alloc(0);
}

/** What it is to say from now on; undefined where it is to stay as it is. */
type Change = (content: Buffer) => HistoryLines | undefined;

async function change(folder: DirectoryHandle, make: Change): Promise<void> {
  await withHistoryLock(folder, () => {
    const before = folder.look(HISTORY);
    const content = read(folder);
    const lines = make(content);
    const after = lines === undefined ? content : contentOf(lines);
    if (after.length === content.length) rmSync(folder.at(NEXT), { force: true });
    else replace(folder, after, before);
  });
}

function replace(folder: DirectoryHandle, content: Buffer, before: Stats | undefined): void {
  rmSync(folder.at(NEXT), { force: true });
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const handle = openSync(folder.at(NEXT), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    writeAll(handle, content);
    if (before !== undefined) keepFacts(handle, before);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(folder.at(NEXT), folder.at(HISTORY));
  folder.sync();
}

/** Its times included: they tell when somebody last typed something. */
function keepFacts(handle: number, { mode, uid, gid, atimeMs, mtimeMs }: Stats): void {
  // Only root can give a file away, and only of root would somebody else's file become one that its owner cannot read.
  if (process.getuid?.() === 0) fchownSync(handle, uid, gid);
  fchmodSync(handle, mode & 0o777);
  futimesSync(handle, atimeMs / 1000, mtimeMs / 1000);
}
