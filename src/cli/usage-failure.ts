import type { CommanderError, Command as Definition } from 'commander';
import { Failure } from '../core/failure.ts';
import { commandLine, everyCommand } from './command-tree.ts';

/** Says in our words what commander found wrong with the line, and the next step. */
export function usageFailure(error: CommanderError, definition: Definition): Failure {
  const help = `Run: ${commandLine(definition)} --help`;
  const [first = '', suggestion = ''] = error.message.replace(/^error: /, '').split('\n');
  const failure = (sentence: string, hint: string) => new Failure('usage', sentence, { hint, cause: error });
  switch (error.code) {
    case 'commander.missingArgument':
      return failure(missingArgument(definition, first), whereToFind(definition, first) ?? help);
    case 'commander.excessArguments':
      return failure(tooMuch(definition), `Put quotes around words that belong together. ${help}`);
    case 'commander.missingMandatoryOptionValue':
      return failure(first.replace(/^required option '(\S+) .*$/, '$1 is missing.'), help);
    case 'commander.unknownCommand':
      return failure(sentenceOf(first), join(elsewhere(definition) ?? suggestion, help));
    default:
      return failure(sentenceOf(first.replace(/ argument missing$/, ' needs a value')), join(suggestion, help));
  }
}

function missingArgument(definition: Definition, said: string): string {
  const name = argumentIn(said);
  const argument = definition.registeredArguments.find((one) => one.name() === name);
  return `<${name}> is missing: ${argument?.description ?? ''}.`;
}

function argumentIn(said: string): string {
  return /'(.*)'/.exec(said)?.[1] ?? '';
}

/** How a person comes to what is missing, where a command shows it. */
function whereToFind(definition: Definition, said: string): string | undefined {
  switch (argumentIn(said)) {
    case 'plan':
      return 'Make one, and see what would go, with: coppice plan';
    case 'run':
      return 'List them with: coppice runs';
    case 'id':
      return `List them with: coppice ${definition.parent?.name() === 'checkpoints' ? 'checkpoints list --all' : 'sessions list'}`;
    default:
      return undefined;
  }
}

function tooMuch(definition: Definition): string {
  const { args, registeredArguments } = definition;
  return `'${args[registeredArguments.length] ?? ''}' is more than ${commandLine(definition)} takes.`;
}

/** Commands of this name that stand in another place, as `search` does in `sessions`. */
function elsewhere(definition: Definition): string | undefined {
  const [name = ''] = definition.args;
  let top = definition;
  while (top.parent !== null) top = top.parent;
  const found = everyCommand(top).filter((one) => one.name() === name);
  return found.length === 0 ? undefined : `Did you mean ${found.map(commandLine).join(' or ')}?`;
}

function sentenceOf(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1).replace(/\.?$/, '.');
}

function join(suggestion: string, help: string): string {
  return suggestion === '' ? help : `${suggestion.replace(/^\((.*)\)$/, '$1')} ${help}`;
}
