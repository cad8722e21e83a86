import { linesPart } from '../../keeping/shared-lines/lines-part.ts';
import { withHistoryLock } from './history-lock.ts';

/** What people typed, of all sessions in one file. Claude Code appends to it while it runs, under a lock of its own. */
export const promptHistory = linesPart({
  name: 'prompt-history',
  file: 'history.jsonl',
  keys: { owner: 'sessionId', time: 'timestamp' },
  locked: withHistoryLock,
});
