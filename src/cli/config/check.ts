import { formatConfigIssue } from '../../app/config/config-issue.ts';
import { FAILURES } from '../../core/failure.ts';
import type { CommandInput } from '../command.ts';
import type { NoOptions } from '../command-options.ts';
import { forSamePlace } from '../hint-command.ts';
import { writeJson } from '../print/json-output.ts';
import { safeLines, safeText } from '../print/safe-text.ts';
import { withConfiguration } from './with-configuration.ts';

/** `coppice config check`: exit 0 when the configuration is valid, 2 when it is not. */
export function run(input: CommandInput<NoOptions>): Promise<number> {
  const { global, io } = input;
  return withConfiguration(input, async (configuration) => {
    const { file } = configuration;
    const { issues, fileExists } = await configuration.check();
    const valid = issues.length === 0;
    if (global.json) writeJson(io.out, { file, valid, issues });
    else if (valid) io.out.write(forSamePlace(global, sayValid(file, fileExists)));
    else io.out.write(`${issues.map((issue) => safeLines(formatConfigIssue(issue))).join('\n')}\n`);
    return valid ? 0 : FAILURES['bad-config'].exit;
  });
}

function sayValid(file: string, exists: boolean): string {
  if (exists) return `${safeText(file)} is valid.\n`;
  return `There is no ${safeText(file)}, so the defaults are in force.\nWrite one with: coppice config init\n`;
}
