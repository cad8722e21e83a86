import type { Command as Definition } from 'commander';
import { KINDS } from '../../homes/kinds.ts';
import type { ExpiringOptions, HomesAddOptions, NoOptions } from '../command-options.ts';
import { defineCommand, defineGroup, durationOption, type Frame, textOption } from './define-command.ts';

const HERE = 'it is about the homes of this machine';

/** Which homes of agents there are, and what is about to go in them: `coppice homes …` and `coppice expiring`. */
export function defineHomes(program: Definition, frame: Frame): void {
  defineExpiring(program, frame);
  const homes = defineGroup(program, {
    name: 'homes',
    about: 'List the homes of the agents on this machine, add others and leave some out',
    examples: ['coppice homes', 'coppice homes scan', 'coppice homes list --json'],
  });
  defineCommand<NoOptions>(homes, frame, {
    name: 'list',
    about: 'List the homes that are known, with the names by which --home takes them',
    examples: ['coppice homes list', 'coppice homes list --json'],
    load: () => import('../homes/list.ts'),
    isDefault: true,
    onlyHere: HERE,
  });
  defineCommand<NoOptions>(homes, frame, {
    name: 'scan',
    about: 'Look for homes in unusual places, and say how to add them',
    examples: ['coppice homes scan', 'coppice homes scan /srv'],
    load: () => import('../homes/scan.ts'),
    onlyHere: HERE,
  }).argument('[folder]', 'where to look; your home directory when absent');
  defineCommand<HomesAddOptions>(homes, frame, {
    name: 'add',
    about: 'Add a home that is in an unusual place, or one that was left out',
    examples: [`coppice homes add ${KINDS[0]?.place}`, `coppice homes add ${KINDS[0]?.place} --name mine`],
    load: () => import('../homes/add.ts'),
    onlyHere: HERE,
  })
    .argument('<path>', 'the folder that its agent writes')
    .addOption(textOption('--name <name>', 'what it is to be called'));
  defineCommand<NoOptions>(homes, frame, {
    name: 'ignore',
    about: 'Leave a home out of everything that is about all of them',
    examples: [`coppice homes ignore ${KINDS[0]?.place}`],
    load: () => import('../homes/ignore.ts'),
    onlyHere: HERE,
  }).argument('<home>', 'its path, or its name in coppice homes list');
}

function defineExpiring(program: Definition, frame: Frame): void {
  defineCommand<ExpiringOptions>(program, frame, {
    name: 'expiring',
    about: 'Show what your rules, and the agents themselves, are about to let go of',
    examples: ['coppice expiring', 'coppice expiring --within 30d --json'],
    load: () => import('../homes/expiring.ts'),
    over: 'ruled',
    onlyHere: HERE,
  }).addOption(durationOption('--within <time>', 'how far to look ahead, at most a year; 14d when absent'));
}
