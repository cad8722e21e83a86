import type { FileAgent, SessionGuard } from '../../keeping/file-home/file-agent.ts';
import { RECENT, recentlyUsedNow } from '../../keeping/file-home/recently-used.ts';
import type { EpochMs } from '../../core/time.ts';
import { watchWorkdirs, workdirsOf } from '../../platform/machine/running-programs.ts';
import { isBusyProject, PROGRAM } from './busy-projects.ts';
import { rememberChats } from './remember-chats.ts';
import { describeGemini } from './describe-gemini.ts';
import { projectOf } from './gemini-places.ts';
import { geminiRetention } from './gemini-retention.ts';
import { managedFormat } from './managed-format.ts';
import { promptLog } from './prompt-log.ts';
import { sortGemini } from './sort-gemini.ts';

/**
 * Gemini CLI: a folder for each project, a file for each session in it, and stores of files beside them. It takes no lock and keeps no file
 * open, so what it is at is known by where its processes work, and by when a session was used last.
 */
export function geminiAgent(): FileAgent {
  const look = rememberChats();
  return {
    name: 'gemini-cli',
    agent: 'Gemini CLI',
    format: async () => managedFormat,
    sort: async (tree, now) => sortGemini(tree, { now, look, workdirs: workdirsOf(PROGRAM) }),
    describe: describeGemini,
    guard: async (home, now) => guardGemini(home, now),
    shared: [promptLog],
    retention: async (home) => geminiRetention(home, look),
  };
}

function guardGemini(home: string, now: EpochMs): SessionGuard {
  const workdirs = watchWorkdirs(PROGRAM);
  return {
    obstacle(session) {
      if (recentlyUsedNow(home, session, now)) return RECENT;
      const projects = new Set(session.transcripts.flatMap(({ path }) => projectOf(path) ?? []));
      const isBusy = [...projects].some((project) => isBusyProject(home, project, workdirs()));
      return isBusy ? 'A process of Gemini CLI is at work in its project.' : undefined;
    },
    [Symbol.dispose]: () => undefined,
  };
}
