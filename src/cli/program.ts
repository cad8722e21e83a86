import { Command as Definition, Option } from 'commander';
import type { GlobalOptions, Setting } from './command.ts';
import type { DoctorOptions, NoOptions } from './command-options.ts';
import { everyCommand } from './command-tree.ts';
import { defineAccess } from './define/define-access.ts';
import { defineCheckpoints } from './define/define-checkpoints.ts';
import { addExamples, choiceArgument, defineCommand, type Frame, textOption } from './define/define-command.ts';
import { defineConfig } from './define/define-config.ts';
import { defineGateway } from './define/define-gateway.ts';
import { defineHomes } from './define/define-homes.ts';
import { defineLedger } from './define/define-ledger.ts';
import { defineRetention } from './define/define-retention.ts';
import { defineService } from './define/define-service.ts';
import { defineSessions } from './define/define-sessions.ts';
import { defineUsage } from './define/define-usage.ts';
import { exitCodesText } from './exit-codes-text.ts';
import type { TextOutput } from './io.ts';
import { parseChoice, parseSetting } from './parse-values.ts';
import { usageFailure } from './usage-failure.ts';

/** How wide help is at most, and where there is no terminal to ask. */
const HELP_COLUMNS = 100;

/**
 * The whole command line: names, arguments, options, descriptions and examples. A wrong line throws a `Failure`; help
 * and the version are written to `out` and then throw commander's own error, which means that all is done.
 */
export function createProgram({ out, version, ...frame }: Frame & { out: TextOutput; version: string }): Definition {
  const program = new Program('coppice')
    .description(
      'Keeps what AI agents remember searchable, restorable and bounded. Without a command it shows what all agents here keep.',
    )
    .usage('[command] [options]')
    .configureHelp({ showGlobalOptions: true, minWidthToWrap: 20 })
    .configureOutput({
      writeOut: (text) => out.write(text),
      // Only help for a command that lacks its subcommand comes this way; failures are printed by the caller.
      writeErr: (text) => out.write(text),
      outputError: () => undefined,
      getOutHelpWidth: () => Math.min(out.columns, HELP_COLUMNS),
      getErrHelpWidth: () => Math.min(out.columns, HELP_COLUMNS),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .helpOption('-h, --help', 'show help')
    .version(version, '-V, --version', 'print the version');
  addGlobalOptions(program);
  defineRetention(program, frame);
  defineHomes(program, frame);
  defineSessions(program, frame);
  defineUsage(program, frame);
  defineLedger(program, frame);
  defineCheckpoints(program, frame);
  defineGateway(program, frame);
  defineAccess(program, frame);
  defineService(program, frame);
  defineConfig(program, frame);
  defineTools(program, frame);
  addExamples(program, [
    'coppice status',
    'coppice plan',
    'coppice sessions list --active',
    'coppice sessions list --help',
  ]);
  program.addHelpText('after', `\n${exitCodesText()}`);
  for (const definition of everyCommand(program)) {
    definition.exitOverride((error) => {
      if (error.exitCode === 0 || error.code === 'commander.help') throw error;
      throw usageFailure(error, definition);
    });
  }
  return program;
}

/** Nothing but options was typed, so the homes of the machine are shown. */
export class NoCommand extends Error {}

class Program extends Definition {
  /** Commander comes here when there is no command; `--help` is answered elsewhere. */
  override help(): never {
    throw new NoCommand();
  }
}

/** The options that stand before or after the command. */
export function readGlobalOptions(program: Definition): GlobalOptions {
  const { home, remote, json, set, color } = program.opts<{
    home?: string;
    remote?: string;
    json?: boolean;
    set?: readonly Setting[];
    color: boolean;
  }>();
  return {
    json: json ?? false,
    set: set ?? [],
    ...(home === undefined ? {} : { home }),
    ...(remote === undefined ? {} : { remote }),
    ...(color ? {} : { color }),
  };
}

function addGlobalOptions(program: Definition): void {
  const setting = new Option('--set <key=value>', 'override a setting for this command; may be repeated');
  program
    .addOption(textOption('--home <dir>', 'the home to work on, by its path or its name in coppice homes list'))
    .addOption(textOption('--remote <url>', 'ask the daemon there instead of opening a home'))
    .option('--json', 'print one JSON document instead of text')
    .addOption(
      setting.argParser((text, before: readonly Setting[] | undefined) => [...(before ?? []), parseSetting(text)]),
    )
    .option('--no-color', 'print without colour');
}

function defineTools(program: Definition, frame: Frame): void {
  defineCommand<DoctorOptions>(program, frame, {
    name: 'doctor',
    about: 'Check that the home is healthy and say what to do where it is not',
    examples: ['coppice doctor', 'coppice doctor --repair', 'coppice doctor --json'],
    load: () => import('./doctor.ts'),
  }).option('--repair', 'repair what can be repaired without losing anything, and say each step');
  const shells = ['bash', 'zsh', 'fish'] as const;
  defineCommand<NoOptions>(program, frame, {
    name: 'completion',
    about: 'Print a script that completes commands in your shell',
    examples: [
      'coppice completion bash > ~/.local/share/bash-completion/completions/coppice',
      'coppice completion zsh > "${fpath[1]}/_coppice"',
      'coppice completion fish > ~/.config/fish/completions/coppice.fish',
    ],
    load: async () => {
      const { completionScript } = await import('./completion/completion.ts');
      return {
        run: async ({ args, io }) => {
          io.out.write(completionScript(program, parseChoice('The shell', args[0] ?? '', shells)));
          return 0;
        },
      };
    },
  }).addArgument(choiceArgument('shell', 'the shell you use', shells));
  defineCommand<NoOptions>(program, frame, {
    name: 'help',
    about: 'Show help for a command, or about: policy, safety, exit-codes',
    examples: ['coppice help sessions list', 'coppice help policy'],
    load: async () => {
      const { showHelp } = await import('./show-help.ts');
      return { run: async ({ args, io }) => showHelp(program, args, io.out) };
    },
  }).argument('[command...]', 'the command, or a topic');
}
