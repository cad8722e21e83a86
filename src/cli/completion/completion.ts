import type { Argument, Command as Definition, Option } from 'commander';
import { commandLine, everyCommand } from '../command-tree.ts';
import { bashCompletion } from './completion-bash.ts';
import { fishCompletion } from './completion-fish.ts';
import type { Completion, CompletionOption, CompletionValue } from './completion-model.ts';
import { zshCompletion } from './completion-zsh.ts';

const SCRIPTS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion };

/** A script for the shell that completes everything the program defines. */
export function completionScript(program: Definition, shell: keyof typeof SCRIPTS): string {
  const help = program.createHelp();
  const globals = program.options.map(describeOption);
  const commands = everyCommand(program).map((definition) => ({
    path: commandLine(definition).split(' ').slice(1).join(' '),
    subcommands: definition.commands.map((sub) => ({ name: sub.name(), about: sub.description() })),
    options: help
      .visibleOptions(definition)
      .filter((option) => !program.options.includes(option))
      .map(describeOption),
    argument: definition.registeredArguments.map(argumentValue).at(-1),
  }));
  const completion: Completion = { globals, commands };
  return SCRIPTS[shell](completion);
}

function describeOption(option: Option): CompletionOption {
  return {
    flags: [option.short, option.long].filter((flag) => flag !== undefined),
    about: option.description,
    value: option.required ? valueOf(option.argChoices, /<(.*)>/.exec(option.flags)?.[1]) : undefined,
  };
}

function argumentValue(argument: Argument): CompletionValue {
  return valueOf(argument.argChoices, argument.name());
}

function valueOf(choices: readonly string[] | undefined, name: string | undefined): CompletionValue {
  if (choices !== undefined) return { kind: 'choice', choices };
  return name === 'dir' || name === 'file' ? { kind: name } : { kind: 'text' };
}
