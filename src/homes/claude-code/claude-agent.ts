import type { FileAgent } from '../../keeping/file-home/file-agent.ts';
import { CLAUDE } from './claude-messages.ts';
import { claudeRetention } from './claude-retention.ts';
import { describeClaude } from './describe-claude.ts';
import { guardClaude } from './guard-claude.ts';
import { promptHistory } from './prompt-history.ts';
import { sortClaude } from './sort-claude.ts';

/** Claude Code: a folder for each place that somebody worked in, a file for each session, and stores of files beside them. */
export const claudeAgent: FileAgent = {
  name: CLAUDE,
  agent: 'Claude Code',
  format: async () => (await import('./claude-format.ts')).claudeFormat,
  sort: async (tree, now) => sortClaude(tree, now),
  describe: async (home, session) => describeClaude(home, session),
  guard: async (home, now) => guardClaude(home, now),
  shared: [promptHistory],
  retention: async (home) => claudeRetention(home),
};
