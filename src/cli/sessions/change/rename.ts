import type { CommandInput } from '../../command.ts';
import type { NoOptions } from '../../command-options.ts';
import { changeSession } from './change-session.ts';

/** `coppice sessions rename ID TITLE` */
export function run(input: CommandInput<NoOptions>): Promise<number> {
  const [, title = ''] = input.args;
  return changeSession(input, (session) => session.rename(title));
}
