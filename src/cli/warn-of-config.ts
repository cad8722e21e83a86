import { type ConfigIssue, formatConfigIssue } from '../app/config/config-issue.ts';
import type { GlobalOptions } from './command.ts';
import { hintCommand } from './hint-command.ts';
import type { TextOutput } from './io.ts';
import { safeLines } from './print/safe-text.ts';

/** Says what is wrong with the configuration to somebody who looks all the same. */
export function warnOfConfig(err: TextOutput, global: GlobalOptions, issues: readonly ConfigIssue[]): void {
  if (issues.length === 0) return;
  for (const issue of issues) err.write(`coppice: ${safeLines(formatConfigIssue(issue))}\n`);
  err.write(`Nothing is removed or changed until that is put right. See: ${hintCommand(global, 'config', 'check')}\n`);
}
