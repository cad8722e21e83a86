import type { FileAgent } from '../../keeping/file-home/file-agent.ts';
import { RECENT, recentlyUsedNow } from '../../keeping/file-home/recently-used.ts';
import { describeTask } from './describe-task.ts';
import { sortTasks } from './sort-tasks.ts';
import { taskIndex } from './task-index.ts';

/**
 * An extension of an editor with a folder for each task. It runs within the editor, which is open all day, and takes no lock for a task:
 * what it is at is known only by when files of the task were written last.
 */
export function taskAgent(name: string, agent: string): FileAgent {
  return {
    name,
    agent,
    format: async () => ({ ...(await import('./cline-format.ts')).clineFormat, name, title: agent }),
    sort: sortTasks,
    describe: describeTask,
    guard: async (home, now) => ({
      obstacle: (session) => (recentlyUsedNow(home, session, now) ? RECENT : undefined),
      [Symbol.dispose]: () => undefined,
    }),
    shared: [taskIndex],
  };
}
