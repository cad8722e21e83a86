import type { Command as Definition } from 'commander';
import { LEDGER_GROUPS } from '../../core/stores/ledger-book.ts';
import type { LedgerOptions } from '../command-options.ts';
import { choiceOption, countOption, dateOption, defineCommand, type Frame, textOption } from './define-command.ts';

/** `coppice ledger` */
export function defineLedger(program: Definition, frame: Frame): void {
  defineCommand<LedgerOptions>(program, frame, {
    name: 'ledger',
    about: 'Show what removed sessions had used: tokens and cost, one by one or added up',
    examples: [
      'coppice ledger',
      'coppice ledger --by month',
      'coppice ledger --by model --since 30d',
      'coppice ledger --source cron --before 2026-01-31 --json',
    ],
    load: () => import('../ledger.ts'),
  })
    .addOption(choiceOption('--by <what>', 'add up by day, month, model or source', LEDGER_GROUPS))
    .addOption(textOption('--source <source>', 'only sessions from this source, such as cli, telegram or cron'))
    .addOption(
      dateOption('--since <when>', 'last active at or after this date or age (2026-01-31, 90d, 5h)', frame.clock),
    )
    .addOption(dateOption('--before <when>', 'last active before this date or age', frame.clock))
    .addOption(countOption('--limit <n>', 'at most this many lines'));
}
