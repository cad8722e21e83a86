import type { Command as Definition } from 'commander';
import type { ConfigInitOptions, ConfigShowOptions, NoOptions } from '../command-options.ts';
import { defineCommand, defineGroup, type Frame } from './define-command.ts';

/** `coppice config …` */
export function defineConfig(program: Definition, frame: Frame): void {
  const config = defineGroup(program, {
    name: 'config',
    about: 'Show, check and create the configuration',
    examples: ['coppice config init', 'coppice config show --effective'],
  });
  defineCommand<NoOptions>(config, frame, {
    name: 'path',
    about: 'Print where the configuration file is',
    examples: ['coppice config path'],
    load: () => import('../config/path.ts'),
  });
  defineCommand<ConfigShowOptions>(config, frame, {
    name: 'show',
    about: 'Print the configuration',
    examples: ['coppice config show', 'coppice config show --effective --json'],
    load: () => import('../config/show.ts'),
  }).option('--effective', 'every setting with its value and which level set it');
  defineCommand<NoOptions>(config, frame, {
    name: 'check',
    about: 'Check the configuration and say what is wrong with it',
    examples: ['coppice config check', 'coppice config check --set sessions.retention_days=30'],
    load: () => import('../config/check.ts'),
  });
  defineCommand<ConfigInitOptions>(config, frame, {
    name: 'init',
    about: 'Write a configuration file with every setting explained',
    examples: ['coppice config init', 'coppice config init --home /srv/agents/.coppice'],
    load: () => import('../config/init.ts'),
    onlyHere: 'it writes a file for a person to edit, on the machine of the home',
  }).option('--force', 'replace the file that is there');
  defineCommand<NoOptions>(config, frame, {
    name: 'schema',
    about: 'Print the JSON Schema of the configuration, for editors',
    examples: ['coppice config schema > coppice.schema.json'],
    load: () => import('../config/schema.ts'),
  });
}
