import type { CommandInput } from '../command.ts';
import type { EndOptions } from '../command-options.ts';
import { changeSession } from './change-session.ts';

/** `coppice sessions end ID` */
export function run(input: CommandInput<EndOptions>): Promise<number> {
  return changeSession(input, (session) => session.end(input.options.reason ?? 'ended by hand'));
}
