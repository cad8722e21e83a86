import { SECOND_MS } from '../../core/time.ts';
import { type FolderLock, withFolderLock } from '../../keeping/file-home/with-folder-lock.ts';
import { linesPart } from '../../keeping/shared-lines/lines-part.ts';

const HISTORY = 'history.jsonl';

/** Claude Code makes it for each prompt, and takes one for left behind after ten seconds in which its owner has not touched it. */
const LOCK: FolderLock = {
  name: `${HISTORY}.lock`,
  holder: 'Claude Code holds the lock of its prompt history',
  staleMs: 30 * SECOND_MS,
};

/** What people typed, of all sessions in one file. Claude Code appends to it while it runs, under a lock of its own. */
export const promptHistory = linesPart({
  name: 'prompt-history',
  file: HISTORY,
  keys: { owner: 'sessionId', time: 'timestamp' },
  locked: (home, act) => withFolderLock(home, LOCK, act),
});
