import type { Command as Definition } from 'commander';
import { KINDS } from '../../homes/kinds.ts';
import type {
  ApplyOptions,
  ClearCopiesOptions,
  MaintainOptions,
  NoOptions,
  PlanOptions,
  TrashEmptyOptions,
  UndoOptions,
} from '../command-options.ts';
import {
  ageOption,
  DRY_RUN,
  defineCommand,
  defineGroup,
  FOR_GOOD,
  type Frame,
  textOption,
  textsOption,
  YES_BUT_HOLDS,
} from './define-command.ts';
import { ONE_ID } from './id-words.ts';

/** The kind of home whose agent puts copies aside. */
const WITH_COPIES = KINDS.find(({ copies }) => copies !== undefined);

/** What is kept, what could go, and every way back: `coppice status`, `plan`, `apply`, `explain`, `undo`, `runs` and `trash`. */
export function defineRetention(program: Definition, frame: Frame): void {
  defineLooking(program, frame);
  defineApply(program, frame);
  defineUndo(program, frame);
  defineRuns(program, frame);
  defineTrash(program, frame);
  defineMaintain(program, frame);
  defineClearCopies(program, frame);
}

function defineClearCopies(program: Definition, frame: Frame): void {
  defineCommand<ClearCopiesOptions>(program, frame, {
    name: 'clear-copies',
    about: `Remove what ${WITH_COPIES?.agent} put aside: ${WITH_COPIES?.copies}`,
    examples: [
      `coppice clear-copies --home ${WITH_COPIES?.place} --dry-run`,
      'coppice clear-copies --older-than 90d --yes',
    ],
    load: () => import('../retention/clear-copies.ts'),
  })
    .addOption(
      ageOption(
        '--older-than <when>',
        'put aside before this age or date; 30 days when absent, and the newest of each sort stays',
        frame.clock,
      ),
    )
    .option('--dry-run', DRY_RUN)
    .option('-y, --yes', YES_BUT_HOLDS);
}

function defineMaintain(program: Definition, frame: Frame): void {
  const maintain = defineGroup(program, {
    name: 'maintain',
    about: 'Cut the home back as an unattended run would, and hold or allow what waits',
    examples: ['coppice maintain', 'coppice maintain --auto', 'coppice maintain hold', 'coppice maintain --allow'],
  });
  defineCommand<MaintainOptions>(maintain, frame, {
    name: 'run',
    about: 'Make one pass over the home, under the guard, which slows large removals down',
    examples: ['coppice maintain run', 'coppice maintain run --auto', 'coppice maintain run --allow'],
    load: () => import('../retention/maintain.ts'),
    isDefault: true,
  })
    .option('--auto', 'only if sessions.auto_prune is on and a pass is due')
    .option('--allow', 'let everything go now that waits or is held');
  defineCommand<NoOptions>(maintain, frame, {
    name: 'hold',
    about: 'Let unattended runs remove nothing until you release them',
    examples: ['coppice maintain hold'],
    load: () => import('../retention/maintain-hold.ts'),
  });
  defineCommand<NoOptions>(maintain, frame, {
    name: 'release',
    about: 'Let unattended runs go on; what had waited gets a new notice',
    examples: ['coppice maintain release'],
    load: () => import('../retention/maintain-release.ts'),
  });
}

function defineLooking(program: Definition, frame: Frame): void {
  defineCommand<NoOptions>(program, frame, {
    name: 'status',
    about: 'Show what is kept, what holds it and what could go',
    examples: ['coppice status', 'coppice status --json'],
    load: () => import('../retention/status.ts'),
    over: 'each',
  }).alias('df');
  defineCommand<PlanOptions>(program, frame, {
    name: 'plan',
    about: 'Show what the rules would remove now, and why',
    examples: ['coppice plan', 'coppice plan --all', 'coppice plan --out plan.json'],
    load: () => import('../retention/plan.ts'),
    over: 'each',
  })
    .addOption(textOption('--out <file>', 'write the plan to this file instead of keeping it in the home'))
    .option('--all', 'list every decision, what stays included');
  defineCommand<NoOptions>(program, frame, {
    name: 'explain',
    about: 'Show which rules speak about a session or file, and which one decides',
    examples: ['coppice explain 0198c2'],
    load: () => import('../retention/explain.ts'),
    over: 'named',
  }).argument('<id>', `${ONE_ID}; or the id of a run, of a checkpoint, or a file as the plan names it`);
}

function defineApply(program: Definition, frame: Frame): void {
  defineCommand<ApplyOptions>(program, frame, {
    name: 'apply',
    about: 'Do exactly what a plan says, except for what has changed since',
    examples: ['coppice apply 3f0c29ab51de7788', 'coppice apply plan.json --strict --yes'],
    load: () => import('../retention/apply.ts'),
    over: 'plan',
  })
    .argument('<plan...>', 'id that coppice plan printed, or the file that it wrote')
    .addOption(textsOption('--except <id>', 'leave this one out, whole as the plan shows it; may be repeated'))
    .option('--strict', 'refuse all of it when anything in it has changed since')
    .option('-y, --yes', YES_BUT_HOLDS)
    .option('--for-good', FOR_GOOD);
}

function defineUndo(program: Definition, frame: Frame): void {
  defineCommand<UndoOptions>(program, frame, {
    name: 'undo',
    about: 'Give back what a run removed',
    examples: ['coppice undo', 'coppice undo 01a2b3c4-d5e6-7f80-9a0b-1c2d3e4f5061 --yes'],
    load: () => import('../trash/undo.ts'),
    over: 'run',
  })
    .argument('[run]', 'whole id of the run; the newest that can give anything back when absent')
    .option('-y, --yes', 'do it without asking');
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
    load: () => import('../trash/runs-list.ts'),
    isDefault: true,
  });
  defineCommand<NoOptions>(runs, frame, {
    name: 'show',
    about: 'Show every item of a run and what became of it',
    examples: ['coppice runs show 01a2b3c4-d5e6-7f80-9a0b-1c2d3e4f5061'],
    load: () => import('../trash/runs-show.ts'),
    over: 'run',
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
    load: () => import('../trash/trash-list.ts'),
  });
  defineCommand<NoOptions>(trash, frame, {
    name: 'restore',
    about: 'Give back all that a run removed, or only some of it',
    examples: ['coppice trash restore 01a2b3c4-d5e6-7f80-9a0b-1c2d3e4f5061 my-session'],
    load: () => import('../trash/trash-restore.ts'),
  })
    .argument('<run>', 'whole id of the run')
    .argument('[id...]', 'whole ids of what to give back; everything when absent');
  defineCommand<TrashEmptyOptions>(trash, frame, {
    name: 'empty',
    about: 'Remove what is in the trash for good',
    examples: ['coppice trash empty --expired', 'coppice trash empty --all --yes'],
    load: () => import('../trash/trash-empty.ts'),
  })
    .argument('[run]', 'whole id of the run whose trash to empty')
    .option('--expired', 'only what can no longer be undone')
    .option('--all', 'everything in the trash')
    .option('-y, --yes', 'do it without asking');
}
