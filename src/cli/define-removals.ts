import type { Command as Definition } from 'commander';
import type { DeleteOptions, FilterOptions, GcOptions, NoOptions, PruneOptions } from './command-options.ts';
import {
  ageOption,
  countOption,
  DRY_RUN,
  defineCommand,
  type Frame,
  numberOption,
  textOption,
  YES_BUT_HOLDS,
} from './define-command.ts';

/** The commands that remove, below `coppice sessions`. */
export function defineRemovals(sessions: Definition, frame: Frame): void {
  defineDelete(sessions, frame);
  definePrune(sessions, frame);
  defineGc(sessions, frame);
  defineArchive(sessions, frame);
}

function defineDelete(sessions: Definition, frame: Frame): void {
  defineCommand<DeleteOptions>(sessions, frame, {
    name: 'delete',
    about: 'Remove the sessions you name',
    examples: ['coppice sessions delete my-session', 'coppice sessions delete my-session other-session --purge'],
    load: () => import('./sessions/delete.ts'),
  })
    .argument('<id...>', 'whole ids of the sessions')
    .option('--purge', 'for good, without a way back')
    .option('-y, --yes', YES_BUT_HOLDS);
}

function definePrune(sessions: Definition, frame: Frame): void {
  const prune = defineCommand<PruneOptions>(sessions, frame, {
    name: 'prune',
    about: 'Remove sessions by age and other facts',
    examples: [
      'coppice sessions prune --older-than 90 --dry-run',
      'coppice sessions prune --source cron --older-than 2026-01-31',
      'coppice sessions prune --files-only --older-than 30d --yes',
    ],
    load: () => import('./sessions/prune.ts'),
  })
    .option(
      '--files-only',
      'remove transcripts and request dumps, and those that no session owns; sessions and messages stay',
    )
    .option('--include-files', 'remove sessions with their files, as it does anyway')
    .option('--keep-rows', 'the same as --files-only');
  addFilterOptions(prune, frame);
}

function defineArchive(sessions: Definition, frame: Frame): void {
  const archive = defineCommand<FilterOptions>(sessions, frame, {
    name: 'archive',
    about: 'Compress sessions into the archive, where they stay listed and can be restored',
    examples: [
      'coppice sessions archive --older-than 30d --dry-run',
      'coppice sessions archive --source telegram --older-than 90d --yes',
    ],
    load: () => import('./sessions/archive.ts'),
  });
  addFilterOptions(archive, frame);
  defineCommand<NoOptions>(sessions, frame, {
    name: 'restore',
    about: 'Bring archived sessions back exactly as they were',
    examples: ['coppice sessions restore 0198c2 0198d4'],
    load: () => import('./sessions/restore.ts'),
  }).argument('<id...>', 'ids of archived sessions, or their first characters');
}

/** What narrows down which sessions a command is about. */
function addFilterOptions(command: Definition, frame: Frame): void {
  command
    .addOption(
      ageOption('--older-than <when>', 'last active before this age or date (90, 90d, 5h, 2026-01-31)', frame.clock),
    )
    .addOption(ageOption('--newer-than <when>', 'last active since this age or date', frame.clock))
    .addOption(textOption('--source <source>', 'only sessions from this source'))
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
    .addOption(textOption('--branch <name>', 'only sessions that worked on this git branch, where that is recorded'))
    .option('--dry-run', DRY_RUN)
    .option('-y, --yes', YES_BUT_HOLDS);
}

function defineGc(sessions: Definition, frame: Frame): void {
  defineCommand<GcOptions>(sessions, frame, {
    name: 'gc',
    about: 'Remove sessions without messages and with only a few',
    examples: ['coppice sessions gc --dry-run', 'coppice sessions gc --trivial-max 2 --yes'],
    load: () => import('./sessions/gc.ts'),
  })
    .addOption(
      countOption(
        '--empty-hours <n>',
        'sessions without messages go after this many hours; as configured for each source when absent',
      ),
    )
    .addOption(
      countOption(
        '--trivial-days <n>',
        'sessions with only a few messages go after this many days; as configured when absent',
      ),
    )
    .addOption(countOption('--trivial-max <n>', 'how many messages are a few; as configured when absent'))
    .addOption(textOption('--source <source>', 'only sessions from this source'))
    .option('--dry-run', DRY_RUN)
    .option('-y, --yes', YES_BUT_HOLDS);
}
