import type { Waiting } from '../../core/retention/maintenance.ts';
import { reasonSentence, waitingSentence } from '../../core/retention/waiting-words.ts';
import type { GlobalOptions } from '../command.ts';
import { hintCommand } from '../hint-command.ts';

/** What waits, why and until when, and what a person can do about it. */
export function waitingLines(global: Pick<GlobalOptions, 'home' | 'remote'>, waiting: Waiting): string[] {
  const { reasons, until } = waiting;
  return [
    waitingSentence(waiting),
    ...reasons.map((reason) => `  ${reasonSentence(reason)}`),
    `  See which: ${hintCommand(global, 'plan')}`,
    until === undefined
      ? `  Let maintenance go on: ${hintCommand(global, 'maintain', 'release')}`
      : `  Hold: ${hintCommand(global, 'maintain', 'hold')}   Do it now: ${hintCommand(global, 'maintain', '--allow')}`,
  ];
}
