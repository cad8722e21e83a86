import type { Command as Definition } from 'commander';
import type { InstallOptions, ServiceOptions } from '../service/options.ts';
import { defineCommand, defineGroup, type Frame, portOption, textOption } from './define-command.ts';

const ONLY_HERE = 'a service belongs to the machine that runs it';

/** `coppice service`: lets the service manager of the machine run `coppice serve`. */
export function defineService(program: Definition, frame: Frame): void {
  const service = defineGroup(program, {
    name: 'service',
    about: 'Let systemd or launchd run coppice serve',
    examples: ['coppice service install', 'coppice service status', 'coppice service remove'],
  });
  const install = defineCommand<InstallOptions>(service, frame, {
    name: 'install',
    about: 'Write the file that makes a service of coppice serve, and say what to type next',
    examples: ['coppice service install', 'coppice service install --socket ~/.coppice/serve.sock --dry-run'],
    load: () => import('../service/install.ts'),
    onlyHere: ONLY_HERE,
  });
  addPlace(install)
    .addOption(portOption('--port <n>', 'the port to listen on (7717)'))
    .addOption(textOption('--socket <file>', 'listen on a Unix socket instead, in a folder that only you can enter'))
    .addOption(textOption('--host <address>', 'the address to listen on (127.0.0.1)'))
    .option('--public', 'allow an address that other machines can reach; 0.0.0.0 when no --host is given')
    .option('--dry-run', 'print the file, and write nothing')
    .option('--force', 'write it where no service manager runs');
  const status = defineCommand<ServiceOptions>(service, frame, {
    name: 'status',
    about: 'Say whether the service is installed, and whether anybody changed its file',
    examples: ['coppice service status', 'coppice service status --json'],
    load: () => import('../service/status.ts'),
    onlyHere: ONLY_HERE,
    isDefault: true,
  });
  addPlace(status);
  const remove = defineCommand<ServiceOptions>(service, frame, {
    name: 'remove',
    about: 'Remove the file that install wrote, unless somebody changed it since',
    examples: ['coppice service remove'],
    load: () => import('../service/remove.ts'),
    onlyHere: ONLY_HERE,
  });
  addPlace(remove);
}

function addPlace(definition: Definition): Definition {
  return definition
    .addOption(textOption('--name <name>', 'what the service is called (coppice)'))
    .option('--system', 'for the whole machine, from its start; only root can');
}
