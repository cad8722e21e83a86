import { SECOND_MS } from '../../core/time.ts';
import type { SharedPart } from '../../keeping/file-home/file-agent.ts';
import { readShared, replaceShared, sharedFileObstacle } from '../../keeping/file-home/replace-shared.ts';
import { type FolderLock, withFolderLock } from '../../keeping/file-home/with-folder-lock.ts';
import { DirectoryHandle } from '../../platform/files/directory-handle.ts';
import { contentOf, copyLines, type HistoryLines, linesOf, names, withCopy, withoutCopy } from './history-lines.ts';

const HISTORY = 'history.jsonl';

/** Claude Code makes it for each prompt, and takes one for left behind after ten seconds in which its owner has not touched it. */
const LOCK: FolderLock = {
  name: `${HISTORY}.lock`,
  holder: 'Claude Code holds the lock of its prompt history',
  staleMs: 30 * SECOND_MS,
};

/**
 * What people typed, of all sessions in one file. Claude Code appends to it while it runs, under a lock of its own. Each change takes
 * that lock and puts a whole new file in place of the old one, so that no prompt is lost and none is told twice.
 */
export const promptHistory: SharedPart = {
  name: 'prompt-history',
  obstacle(home) {
    using folder = DirectoryHandle.open(home);
    return sharedFileObstacle(folder, HISTORY, 'what was typed in the session');
  },
  async copy(home, id) {
    using folder = DirectoryHandle.open(home);
    if (!names(readShared(folder, HISTORY), id)) return undefined;
    return await withFolderLock(folder, LOCK, () => copyLines(linesOf(readShared(folder, HISTORY)), id));
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

/** What it is to say from now on; undefined where it is to stay as it is. */
type Change = (content: Buffer) => HistoryLines | undefined;

async function change(folder: DirectoryHandle, make: Change): Promise<void> {
  await withFolderLock(folder, LOCK, () => {
    const content = readShared(folder, HISTORY);
    const lines = make(content);
    const after = lines === undefined ? content : contentOf(lines);
    replaceShared(folder, HISTORY, after.length === content.length ? undefined : after);
  });
}
