import type { CommandInput } from '../../command.ts';
import type { NoOptions } from '../../command-options.ts';
import { changeSessions } from './change-sessions.ts';

/** `coppice sessions unpin ID…` */
export function run(input: CommandInput<NoOptions>): Promise<number> {
  return changeSessions(input, (session) => session.unpin());
}
