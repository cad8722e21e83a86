import { statSync } from 'node:fs';
import { SECOND_MS } from '../../core/time.ts';
import { processesMarked } from '../machine/process-group.ts';
import { wait } from '../machine/wait.ts';

// A git whose parent was killed may live for another moment, and its files must not be taken for left behind. So every git of
// ours says in its environment on which repository it works, and for what.

const VARIABLE = 'COPPICE_GIT';

/** Whether the system tells which gits run. Where it does not, only time does. */
export const GITS_ARE_SEEN = process.platform === 'linux';

/** What a git has in its environment. The repository is named by what it is: its path may have changed, or have another name. */
export function gitMark(gitDir: string, command = ''): Readonly<Record<string, string>> {
  const stat = statSync(gitDir, { throwIfNoEntry: false });
  return stat === undefined ? {} : { [VARIABLE]: `${stat.dev}:${stat.ino}:${command}.` };
}

/**
 * Waits until no git of ours is at this command in a repository, or at any. True when there is none. The caller holds the lock
 * that keeps others from starting one, so whatever runs is of a process that was killed, and ends soon.
 */
export async function gitsEnded(gitDir: string, command?: string): Promise<boolean> {
  // Whoever was killed a moment ago has had its last breath after this.
  if (!GITS_ARE_SEEN) await wait(LAST_BREATH_MS);
  const { [VARIABLE]: mark = '' } = gitMark(gitDir, command);
  const text = `${VARIABLE}=${command === undefined ? mark.slice(0, -1) : mark}`;
  for (let waitedMs = 0; processesMarked(text).length > 0; waitedMs += STEP_MS) {
    if (waitedMs >= LAST_BREATH_MS) return false;
    await wait(STEP_MS);
  }
  return true;
}

const LAST_BREATH_MS = 2 * SECOND_MS;
const STEP_MS = 50;
