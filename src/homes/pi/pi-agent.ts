import { join } from 'node:path';
import type { FileAgent } from '../../keeping/file-home/file-agent.ts';
import { RECENT, recentlyUsedNow } from '../../keeping/file-home/recently-used.ts';
import { watchWorkdirs, workdirsOf } from '../../platform/machine/running-programs.ts';
import { describeLines } from '../../platform/transcripts/describe-lines.ts';
import { piTranscript } from './pi-transcript.ts';
import { readPiHeader } from './pi-header.ts';
import { sortPi } from './sort-pi.ts';

/** How its process is known: by the name that it gives itself, or by the package that Node runs. */
const PROGRAM = { name: 'pi', packages: ['pi-coding-agent'] };

/**
 * pi: one file for each session, and nothing beside it. It takes no lock, keeps no file open and deletes nothing by itself, so what it
 * is at is known by where its processes work, and by when a file was last written.
 */
export function piAgent(): FileAgent {
  return {
    name: 'pi',
    agent: 'pi',
    format: async () => (await import('./pi-format.ts')).piFormat,
    sort: (tree, now) => sortPi(tree, now, workdirsOf(PROGRAM)),
    async describe(home, { transcripts: [file] }) {
      const path = join(home, file?.path ?? '');
      return describeLines(path, () => piTranscript(path));
    },
    async guard(home, now) {
      const busy = watchWorkdirs(PROGRAM);
      return {
        obstacle(session) {
          if (recentlyUsedNow(home, session, now)) return RECENT;
          const [file] = session.transcripts;
          const workdir = readPiHeader(join(home, file?.path ?? ''))?.workdir;
          return workdir !== undefined && busy().has(workdir) ? 'A process of pi is at work in its folder.' : undefined;
        },
        [Symbol.dispose]: () => undefined,
      };
    },
  };
}
