import { formatConfigIssue } from '../../app/config/config-issue.ts';
import { readConfig } from '../../app/config/load-config.ts';
import { configPath } from '../../app/home-path.ts';
import { FAILURES } from '../../core/failure.ts';
import type { CommandInput } from '../command.ts';
import type { NoOptions } from '../command-options.ts';
import { writeJson } from '../json-output.ts';
import { safeLines, safeText } from '../safe-text.ts';

/** `coppice config check`: exit 0 when the configuration is valid, 2 when it is not. */
export async function run({ global, io }: CommandInput<NoOptions>): Promise<number> {
  const file = await configPath(global.home, io.env);
  const result = await readConfig({ file, env: io.env, overrides: global.set });
  const issues = result.status === 'ok' ? [] : result.issues;
  if (global.json) writeJson(io.out, { file, valid: issues.length === 0, issues });
  else if (result.status === 'ok') io.out.write(sayValid(file, result.loaded.fileExists));
  else io.out.write(`${issues.map((issue) => safeLines(formatConfigIssue(issue))).join('\n')}\n`);
  return issues.length === 0 ? 0 : FAILURES['bad-config'].exit;
}

function sayValid(file: string, exists: boolean): string {
  if (exists) return `${safeText(file)} is valid.\n`;
  return `There is no ${safeText(file)}, so the defaults are in force.\nWrite one with: coppice config init\n`;
}
