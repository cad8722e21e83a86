import { type Command as Definition, Option } from 'commander';
import type {
  CheckpointListOptions,
  CheckpointsPruneOptions,
  DiffOptions,
  RestoreOptions,
  TakeOptions,
} from '../checkpoints/options.ts';
import type { ByHandOptions, NoOptions } from '../command-options.ts';
import {
  countOption,
  DRY_RUN,
  defineCommand,
  defineGroup,
  FOR_GOOD,
  type Frame,
  textOption,
  YES_BUT_HOLDS,
} from './define-command.ts';

const ID = 'id of the checkpoint, or its first characters';
const PATHS = 'only these files or folders, relative to the folder of the checkpoint; write -- first';

/** `coppice checkpoints …` */
export function defineCheckpoints(program: Definition, frame: Frame): void {
  const checkpoints = defineGroup(program, {
    name: 'checkpoints',
    about: 'Save the files of a project, see what changed, and go back',
    examples: ['coppice checkpoints take', 'coppice checkpoints list', 'coppice checkpoints restore 3f0c29ab'],
  });
  defineStatus(checkpoints, frame);
  defineTake(checkpoints, frame);
  defineReading(checkpoints, frame);
  defineRestore(checkpoints, frame);
  definePins(checkpoints, frame);
  definePrune(checkpoints, frame);
  defineClear(checkpoints, frame);
}

function defineStatus(checkpoints: Definition, frame: Frame): void {
  defineCommand<NoOptions>(checkpoints, frame, {
    name: 'status',
    about: 'Show projects, checkpoints, what they take on disk, the limits, and whether all is well',
    examples: ['coppice checkpoints status', 'coppice checkpoints status --json'],
    load: () => import('../checkpoints/status.ts'),
  });
  defineCommand<NoOptions>(checkpoints, frame, {
    name: 'verify',
    about: 'Check that every checkpoint can be restored in full',
    examples: ['coppice checkpoints verify'],
    load: () => import('../checkpoints/verify.ts'),
  });
}

function defineTake(checkpoints: Definition, frame: Frame): void {
  defineCommand<TakeOptions>(checkpoints, frame, {
    name: 'take',
    about: 'Save the files of a folder as they are now',
    examples: ['coppice checkpoints take', 'coppice checkpoints take ~/project --reason "before the upgrade"'],
    load: () => import('../checkpoints/take.ts'),
  })
    .argument('[dir]', 'the folder; the current one when absent')
    .addOption(textOption('--reason <text>', 'what it is for, shown in the list'))
    .addOption(textOption('--session <id>', 'the session it belongs to'));
}

function defineReading(checkpoints: Definition, frame: Frame): void {
  defineCommand<CheckpointListOptions>(checkpoints, frame, {
    name: 'list',
    about: 'List checkpoints of a folder, newest first',
    examples: ['coppice checkpoints list', 'coppice checkpoints list --all --json'],
    load: () => import('../checkpoints/list.ts'),
  })
    .argument('[dir]', 'the folder; the current one when absent')
    .option('--all', 'those of every folder');
  defineCommand<NoOptions>(checkpoints, frame, {
    name: 'show',
    about: 'Show what is known about a checkpoint and what is new in it',
    examples: ['coppice checkpoints show 3f0c29ab'],
    load: () => import('../checkpoints/show.ts'),
  }).argument('<id>', ID);
  defineCommand<DiffOptions>(checkpoints, frame, {
    name: 'diff',
    about: 'Show what changed since a checkpoint, or between two',
    examples: [
      'coppice checkpoints diff 3f0c29ab',
      'coppice checkpoints diff 3f0c29ab 77de1c02 --stat',
      'coppice checkpoints diff 3f0c29ab -- src/main.ts',
    ],
    load: () => import('../checkpoints/diff.ts'),
  })
    .argument('<id>', ID)
    .argument('[paths...]', `a second checkpoint, then ${PATHS}`)
    .option('--stat', 'only the names and how many lines changed');
}

function defineRestore(checkpoints: Definition, frame: Frame): void {
  defineCommand<RestoreOptions>(checkpoints, frame, {
    name: 'restore',
    about: 'Bring files back to what they were, empty folders aside; what is there now is saved first',
    examples: [
      'coppice checkpoints restore 3f0c29ab --dry-run',
      'coppice checkpoints restore 3f0c29ab',
      'coppice checkpoints restore 3f0c29ab -- src/main.ts',
    ],
    load: () => import('../checkpoints/restore.ts'),
  })
    .argument('<id>', ID)
    .argument('[paths...]', PATHS)
    .option('--with-session', 'take the conversation back to the same turn too')
    .option('--dry-run', 'show what would change, and change nothing')
    .option('-y, --yes', 'do it without asking');
}

function definePins(checkpoints: Definition, frame: Frame): void {
  defineCommand<NoOptions>(checkpoints, frame, {
    name: 'pin',
    about: 'Protect a checkpoint from every kind of removal',
    examples: ['coppice checkpoints pin 3f0c29ab'],
    load: () => import('../checkpoints/pin.ts'),
  }).argument('<id>', ID);
  defineCommand<NoOptions>(checkpoints, frame, {
    name: 'unpin',
    about: 'Take the protection of pin away',
    examples: ['coppice checkpoints unpin 3f0c29ab'],
    load: () => import('../checkpoints/unpin.ts'),
  }).argument('<id>', ID);
}

/** What else says which checkpoints go. */
const LIMITS = ['retentionDays', 'maxSizeMb', 'maxSnapshots', 'keepOrphans'];

function definePrune(checkpoints: Definition, frame: Frame): void {
  defineCommand<CheckpointsPruneOptions>(checkpoints, frame, {
    name: 'prune',
    about: 'Remove checkpoints by number, age and size, and those of folders that are gone',
    examples: [
      'coppice checkpoints prune --dry-run',
      'coppice checkpoints prune --retention-days 7 --yes',
      'coppice checkpoints prune --gone ~/old-project --yes',
    ],
    load: () => import('../checkpoints/prune.ts'),
  })
    .addOption(countOption('--retention-days <n>', 'those older than this many days'))
    .addOption(countOption('--max-size-mb <n>', 'oldest first until all take at most this many megabytes'))
    .addOption(countOption('--max-snapshots <n>', 'all but this many of each project'))
    .option('--keep-orphans', 'keep those of folders that are gone')
    .addOption(
      textOption('--gone <path>', 'only those of this folder and of all below it: you say that it is gone').conflicts([
        'unreachable',
        ...LIMITS,
      ]),
    )
    .addOption(
      new Option(
        '--unreachable',
        'only those of all folders that cannot be found: you say that they are gone',
      ).conflicts(LIMITS),
    )
    .option('--dry-run', DRY_RUN)
    .option('-y, --yes', YES_BUT_HOLDS)
    .option('--for-good', FOR_GOOD);
}

function defineClear(checkpoints: Definition, frame: Frame): void {
  defineCommand<ByHandOptions>(checkpoints, frame, {
    name: 'clear',
    about: 'Remove every checkpoint that nothing holds',
    examples: ['coppice checkpoints clear --dry-run', 'coppice checkpoints clear'],
    load: () => import('../checkpoints/clear.ts'),
  })
    .option('--dry-run', DRY_RUN)
    .option('-y, --yes', YES_BUT_HOLDS);
  defineCommand<ByHandOptions>(checkpoints, frame, {
    name: 'clear-legacy',
    about: 'Remove checkpoints in layouts of before, which nothing reads any more',
    examples: ['coppice checkpoints clear-legacy'],
    load: () => import('../checkpoints/clear-legacy.ts'),
  })
    .option('--dry-run', DRY_RUN)
    .option('-y, --yes', YES_BUT_HOLDS);
}
