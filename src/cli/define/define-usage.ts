import type { Command as Definition } from 'commander';
import { USAGE_GROUPS } from '../../core/stores/usage-book.ts';
import type { UsageOptions } from '../command-options.ts';
import { choiceOption, countOption, dateOption, defineCommand, type Frame } from './define-command.ts';

/** `coppice usage` */
export function defineUsage(program: Definition, frame: Frame): void {
  defineCommand<UsageOptions>(program, frame, {
    name: 'usage',
    about: 'Show what all agents have used: tokens and cost, each call once, also where transcripts are gone',
    examples: [
      'coppice usage',
      'coppice usage --by month',
      'coppice usage --by project --since 30d',
      'coppice usage --by model --since 2026-01-01 --before 2026-02-01 --json',
    ],
    load: () => import('../usage.ts'),
  })
    .addOption(
      choiceOption('--by <what>', 'add up by day, week, month, model, project, agent or session', USAGE_GROUPS),
    )
    .addOption(dateOption('--since <when>', 'from this day on (2026-01-31, 90d)', frame.clock))
    .addOption(dateOption('--before <when>', 'only days before this one', frame.clock))
    .addOption(countOption('--limit <n>', 'at most this many lines'));
}
