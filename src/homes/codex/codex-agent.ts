import type { FileAgent } from '../../keeping/file-home/file-agent.ts';
import { CODEX } from './codex-names.ts';
import { describeCodex } from './describe-codex.ts';
import { guardCodex } from './guard-codex.ts';
import { managedFormat } from './managed-format.ts';
import { createRolloutReader } from './read-heads.ts';
import { createThreadRows } from './rows/thread-rows.ts';
import { sortCodex } from './sort-codex.ts';
import { promptLines, threadNameLines } from './thread-lines.ts';
import { createThreadNames } from './thread-names.ts';

/**
 * Codex: a file for each thread, and one more for each time it was taken back; names and prompts of all threads in two files of lines; and
 * rows in six databases. It deletes no thread by itself.
 */
export function codexAgent(): FileAgent {
  const names = createThreadNames();
  const readRollouts = createRolloutReader();
  const rollouts = new Map<string, Set<string>>();
  const rows = createThreadRows((thread) => [...(rollouts.get(thread) ?? [thread])]);
  return {
    name: CODEX,
    agent: 'Codex',
    format: async () => managedFormat(names),
    async sort(tree, now) {
      names.see(tree);
      const found = await readRollouts(tree);
      rollouts.clear();
      for (const { thread, rollout } of found) {
        rollouts.set(thread, (rollouts.get(thread) ?? new Set([thread])).add(rollout));
      }
      return sortCodex(tree, found, now);
    },
    describe: (home, session) => describeCodex(home, session, names.of),
    async guard(home, now) {
      const guard = await guardCodex(home, now);
      const open = rows.keepOpen();
      return {
        obstacle: (session) => guard.obstacle(session),
        [Symbol.dispose]() {
          open[Symbol.dispose]();
          guard[Symbol.dispose]();
        },
      };
    },
    shared: [threadNameLines, promptLines, rows.part],
  };
}
