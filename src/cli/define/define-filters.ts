import type { Command as Definition } from 'commander';
import { ageOption, countOption, type Frame, numberOption, textOption } from './define-command.ts';

/** What narrows down which sessions a command is about. */
export function addFilters(command: Definition, frame: Frame): Definition {
  return command
    .addOption(
      ageOption('--older-than <when>', 'last active before this age or date (90, 90d, 5h, 2026-01-31)', frame.clock),
    )
    .addOption(ageOption('--newer-than <when>', 'last active since this age or date', frame.clock))
    .addOption(textOption('--source <source>', 'only sessions from this source, such as cli, telegram or cron'))
    .addOption(countOption('--min-messages <n>', 'only sessions with at least this many messages'))
    .addOption(
      countOption('--max-messages <n>', 'only sessions with at most this many messages; what was printed counts too'),
    )
    .addOption(textOption('--title <text>', 'only sessions with this in their title'))
    .addOption(textOption('--workdir <dir>', 'only sessions that worked in this directory'))
    .addOption(textOption('--model <model>', 'only sessions with this model'))
    .addOption(textOption('--ended-by <reason>', 'only sessions that ended for this reason'))
    .addOption(countOption('--min-tokens <n>', 'only sessions that used at least this many tokens'))
    .addOption(countOption('--max-tokens <n>', 'only sessions that used at most this many tokens'))
    .addOption(numberOption('--min-cost <usd>', 'only sessions that cost at least this many US dollars'))
    .addOption(numberOption('--max-cost <usd>', 'only sessions that cost at most this many US dollars'))
    .addOption(textOption('--provider <name>', 'only sessions billed by this provider, where that is recorded'))
    .addOption(textOption('--user <id>', 'only sessions of this user, where that is recorded'))
    .addOption(textOption('--chat <id>', 'only sessions of this chat, where that is recorded'))
    .addOption(textOption('--branch <name>', 'only sessions that worked on this git branch, where that is recorded'));
}
