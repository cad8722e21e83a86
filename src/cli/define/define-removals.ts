import type { Command as Definition } from 'commander';
import type { ArchiveOptions, DeleteOptions, GcOptions, NoOptions, PruneOptions } from '../command-options.ts';
import { countOption, DRY_RUN, defineCommand, type Frame, textOption, YES_BUT_HOLDS } from './define-command.ts';
import { addFilters } from './define-filters.ts';
import { MANY_IDS } from './id-words.ts';

/** The commands that remove, below `coppice sessions`. */
export function defineRemovals(sessions: Definition, frame: Frame): void {
  defineDelete(sessions, frame);
  definePrune(sessions, frame);
  defineGc(sessions, frame);
  defineArchive(sessions, frame);
}

function defineDelete(sessions: Definition, frame: Frame): void {
  const remove = defineCommand<DeleteOptions>(sessions, frame, {
    name: 'delete',
    about: 'Remove the sessions you name, or all that match',
    examples: [
      'coppice sessions delete my-session',
      'coppice sessions delete my-session other-session --purge',
      'coppice sessions delete --source cron --max-messages 2 --dry-run',
    ],
    load: () => import('../sessions/delete.ts'),
    over: 'named',
  })
    .argument('[id...]', `${MANY_IDS}; those that match the options below when absent`)
    .option('--purge', 'for good, without a way back; only for sessions that are named');
  addFilters(remove, frame).option('--dry-run', DRY_RUN).option('-y, --yes', YES_BUT_HOLDS);
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
    load: () => import('../sessions/prune.ts'),
    over: 'named',
  })
    .option(
      '--files-only',
      'remove transcripts and request dumps, and those that no session owns; sessions and messages stay',
    )
    .option('--include-files', 'remove sessions with their files, as it does anyway')
    .option('--keep-rows', 'the same as --files-only');
  addFilters(prune, frame).option('--dry-run', DRY_RUN).option('-y, --yes', YES_BUT_HOLDS);
}

function defineArchive(sessions: Definition, frame: Frame): void {
  const archive = defineCommand<ArchiveOptions>(sessions, frame, {
    name: 'archive',
    about: 'Compress sessions into the archive, where they stay listed and can be restored',
    examples: [
      'coppice sessions archive --older-than 30d --dry-run',
      'coppice sessions archive --source telegram --older-than 90d --yes',
    ],
    load: () => import('../sessions/archive.ts'),
    over: 'named',
  });
  addFilters(archive, frame).option('--dry-run', DRY_RUN).option('-y, --yes', YES_BUT_HOLDS);
  defineCommand<NoOptions>(sessions, frame, {
    name: 'restore',
    about: 'Bring archived sessions back exactly as they were',
    examples: ['coppice sessions restore 0198c2 0198d4'],
    load: () => import('../sessions/restore.ts'),
    over: 'named',
  }).argument('<id...>', 'ids of archived sessions, their first or last characters, or titles');
}

function defineGc(sessions: Definition, frame: Frame): void {
  defineCommand<GcOptions>(sessions, frame, {
    name: 'gc',
    about: 'Remove sessions without messages and with only a few',
    examples: ['coppice sessions gc --dry-run', 'coppice sessions gc --trivial-max 2 --yes'],
    load: () => import('../sessions/gc.ts'),
    over: 'named',
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
