import type { FileAgent } from '../../keeping/file-home/file-agent.ts';
import { CLAUDE } from './claude-messages.ts';
import { claudeRetention } from './claude-retention.ts';
import { describeClaude } from './describe-claude.ts';
import { guardClaude } from './guard-claude.ts';
import { managedFormat } from './managed-format.ts';
import { promptHistory } from './prompt-history.ts';
import { sortClaude } from './sort-claude.ts';

/** Claude Code: a folder for each place that somebody worked in, a file for each session, and stores of files beside them. */
export const claudeAgent: FileAgent = {
  name: CLAUDE,
  agent: 'Claude Code',
  format: async () => managedFormat,
  sort: async (tree, now) => sortClaude(tree, now),
  describe: describeClaude,
  guard: async (home, now) => guardClaude(home, now),
  shared: [promptHistory],
  retention: async (home) => claudeRetention(home),
};
