import { join } from 'node:path';
import type { FileAgent, SessionGuard } from '../../keeping/file-home/file-agent.ts';
import { RECENT, recentlyUsedNow } from '../../keeping/file-home/recently-used.ts';
import type { EpochMs } from '../../core/time.ts';
import { errorSentence } from '../../platform/error-sentence.ts';
import { describeLines } from '../../platform/transcripts/describe-lines.ts';
import { copilotTranscript } from './copilot-transcript.ts';
import { isOpenIn } from './copilot-use.ts';
import { sessionRows } from './session-rows.ts';
import { placeOf, sortCopilot } from './sort-copilot.ts';

/**
 * Copilot CLI: a folder for each session, in which a running program leaves a mark and holds a lock. It deletes no session by itself.
 */
export function copilotAgent(): FileAgent {
  return {
    name: 'copilot',
    agent: 'Copilot CLI',
    format: async () => (await import('./copilot-format.ts')).copilotFormat,
    sort: sortCopilot,
    async describe(home, { id, transcripts: [file] }) {
      const path = join(home, file?.path ?? '');
      return { ...(await describeLines(path, () => copilotTranscript(path))), id };
    },
    guard: async (home, now) => guardCopilot(home, now),
    shared: [sessionRows()],
  };
}

/** Asks once more right before something is done: a program that takes up a session leaves a new mark in its folder. */
function guardCopilot(home: string, now: EpochMs): SessionGuard {
  return {
    obstacle(session) {
      if (recentlyUsedNow(home, session, now)) return RECENT;
      try {
        return isOpenIn(join(home, placeOf(session.id))) ? 'Copilot CLI has it open.' : undefined;
      } catch (error) {
        return errorSentence(error);
      }
    },
    [Symbol.dispose]: () => undefined,
  };
}
