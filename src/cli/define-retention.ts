import type { Command as Definition } from 'commander';
import type {
  ApplyOptions,
  DeleteOptions,
  FilterOptions,
  GcOptions,
  MaintainOptions,
  NoOptions,
  PlanOptions,
  PruneOptions,
  TrashEmptyOptions,
  UndoOptions,
} from './command-options.ts';
import { ageOption, countOption, defineCommand, defineGroup, type Frame, textOption } from './define-command.ts';

const YES = 'do it without asking; what is held stays all the same';
const DRY_RUN = 'show what would go, and change nothing';

/** What is kept, what could go, and every way back: `coppice status`, `plan`, `apply`, `explain`, `undo`, `runs` and `trash`. */
export function defineRetention(program: Definition, frame: Frame): void {
  defineLooking(program, frame);
  defineApply(program, frame);
  defineUndo(program, frame);
  defineRuns(program, frame);
  defineTrash(program, frame);
  defineMaintain(program, frame);
}

function defineMaintain(program: Definition, frame: Frame): void {
  defineCommand<MaintainOptions>(program, frame, {
    name: 'maintain',
    about: 'Make one pass over the home, as an unattended run would: under the guard, which stops large removals',
    examples: ['coppice maintain', 'coppice maintain --auto'],
    load: () => import('./retention/maintain.ts'),
  }).option('--auto', 'only if sessions.auto_prune is on and a pass is due');
}

/** The commands that remove, below `coppice sessions`. */
export function defineRemovals(sessions: Definition, frame: Frame): void {
  defineDelete(sessions, frame);
  definePrune(sessions, frame);
  defineGc(sessions, frame);
  defineArchive(sessions, frame);
}

function defineLooking(program: Definition, frame: Frame): void {
  defineCommand<NoOptions>(program, frame, {
    name: 'status',
    about: 'Show what is kept, what holds it and what could go',
    examples: ['coppice status', 'coppice status --json'],
    load: () => import('./retention/status.ts'),
  }).alias('df');
  defineCommand<PlanOptions>(program, frame, {
    name: 'plan',
    about: 'Show what the rules would remove now, and why',
    examples: ['coppice plan', 'coppice plan --all', 'coppice plan --out plan.json'],
    load: () => import('./retention/plan.ts'),
  })
    .addOption(textOption('--out <file>', 'write the plan to this file instead of keeping it in the home'))
    .option('--all', 'list every decision, what stays included');
  defineCommand<NoOptions>(program, frame, {
    name: 'explain',
    about: 'Show which rules speak about a session or file, and which one decides',
    examples: ['coppice explain 0198c2'],
    load: () => import('./retention/explain.ts'),
  }).argument('<id>', 'id of a session or its first characters, of a run, or a file as the plan names it');
}

function defineApply(program: Definition, frame: Frame): void {
  defineCommand<ApplyOptions>(program, frame, {
    name: 'apply',
    about: 'Do exactly what a plan says, except for what has changed since',
    examples: ['coppice apply 3f0c29ab51de7788', 'coppice apply plan.json --strict --yes'],
    load: () => import('./retention/apply.ts'),
  })
    .argument('<plan>', 'id that coppice plan printed, or the file that it wrote')
    .option('--strict', 'refuse all of it when anything in it has changed since')
    .option('--yes', YES);
}

function defineUndo(program: Definition, frame: Frame): void {
  defineCommand<UndoOptions>(program, frame, {
    name: 'undo',
    about: 'Give back what a run removed',
    examples: ['coppice undo', 'coppice undo 01a2b3c4-d5e6-7f80-9a0b-1c2d3e4f5061 --yes'],
    load: () => import('./retention/undo.ts'),
  })
    .argument('[run]', 'whole id of the run; the newest that can give anything back when absent')
    .option('--yes', 'do it without asking');
}

function defineRuns(program: Definition, frame: Frame): void {
  const runs = defineGroup(program, {
    name: 'runs',
    about: 'Show what was removed, when and why',
    examples: ['coppice runs', 'coppice runs show 01a2b3c4-d5e6-7f80-9a0b-1c2d3e4f5061'],
  });
  defineCommand<NoOptions>(runs, frame, {
    name: 'list',
    about: 'List runs, newest first',
    examples: ['coppice runs list', 'coppice runs list --json'],
    load: () => import('./retention/runs-list.ts'),
    isDefault: true,
  });
  defineCommand<NoOptions>(runs, frame, {
    name: 'show',
    about: 'Show every item of a run and what became of it',
    examples: ['coppice runs show 01a2b3c4-d5e6-7f80-9a0b-1c2d3e4f5061'],
    load: () => import('./retention/runs-show.ts'),
  }).argument('<run>', 'whole id of the run');
}

function defineTrash(program: Definition, frame: Frame): void {
  const trash = defineGroup(program, {
    name: 'trash',
    about: 'See, give back and empty what was removed',
    examples: ['coppice trash list', 'coppice trash empty --expired'],
  });
  defineCommand<NoOptions>(trash, frame, {
    name: 'list',
    about: 'List what can still be given back',
    examples: ['coppice trash list', 'coppice trash list --json'],
    load: () => import('./retention/trash-list.ts'),
  });
  defineCommand<NoOptions>(trash, frame, {
    name: 'restore',
    about: 'Give back all that a run removed, or only some of it',
    examples: ['coppice trash restore 01a2b3c4-d5e6-7f80-9a0b-1c2d3e4f5061 my-session'],
    load: () => import('./retention/trash-restore.ts'),
  })
    .argument('<run>', 'whole id of the run')
    .argument('[id...]', 'whole ids of what to give back; everything when absent');
  defineCommand<TrashEmptyOptions>(trash, frame, {
    name: 'empty',
    about: 'Remove what is in the trash for good',
    examples: ['coppice trash empty --expired', 'coppice trash empty --all --yes'],
    load: () => import('./retention/trash-empty.ts'),
  })
    .argument('[run]', 'whole id of the run whose trash to empty')
    .option('--expired', 'only what can no longer be undone')
    .option('--all', 'everything in the trash')
    .option('--yes', 'do it without asking');
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
    .option('--yes', YES);
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
    .option('--files-only', 'remove transcripts and request dumps; sessions and messages stay')
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
    .addOption(textOption('--source <source>', 'only sessions from this source'))
    .addOption(countOption('--max-messages <n>', 'only sessions with at most this many messages'))
    .addOption(textOption('--title <text>', 'only sessions with this in their title'))
    .addOption(textOption('--workdir <dir>', 'only sessions that worked in this directory'))
    .addOption(textOption('--model <model>', 'only sessions with this model'))
    .addOption(textOption('--ended-by <reason>', 'only sessions that ended for this reason'))
    .option('--dry-run', DRY_RUN)
    .option('--yes', YES);
}

function defineGc(sessions: Definition, frame: Frame): void {
  defineCommand<GcOptions>(sessions, frame, {
    name: 'gc',
    about: 'Remove sessions without messages and with only a few',
    examples: ['coppice sessions gc --dry-run', 'coppice sessions gc --trivial-max 2 --yes'],
    load: () => import('./sessions/gc.ts'),
  })
    .addOption(countOption('--empty-hours <n>', 'sessions without messages go after this many hours (24)'))
    .addOption(countOption('--trivial-days <n>', 'sessions with only a few messages go after this many days (7)'))
    .addOption(countOption('--trivial-max <n>', 'how many messages are a few (5)'))
    .addOption(textOption('--source <source>', 'only sessions from this source'))
    .option('--dry-run', DRY_RUN)
    .option('--yes', YES);
}
