import type { CommanderError, Command as Definition } from 'commander';
import { Failure } from '../core/failure.ts';
import { commandLine, everyCommand } from './command-tree.ts';

/** Says in our words what commander found wrong with the line, and the next step. */
export function usageFailure(error: CommanderError, definition: Definition): Failure {
  const help = `Run: ${commandLine(definition)} --help`;
  const [first = '', suggestion = ''] = error.message.replace(/^error: /, '').split('\n');
  const failure = (sentence: string, hint: string) => new Failure('usage', sentence, { hint, cause: error });
  switch (error.code) {
    case 'commander.missingArgument': {
      const [, name = ''] = /'(.*)'/.exec(first) ?? [];
      return failure(missingArgument(definition, name), whereToFind(definition, name) ?? help);
    }
    case 'commander.excessArguments':
      return failure(tooMuch(definition), join(definition.registeredArguments.length > 0 ? QUOTES : '', help));
    case 'commander.missingMandatoryOptionValue':
      return failure(first.replace(/^required option '(\S+) .*$/, '$1 is missing.'), help);
    case 'commander.unknownCommand':
      return failure(sentenceOf(first), join(elsewhere(definition) ?? suggestion, help));
    default:
      return failure(sentenceOf(first.replace(/ argument missing$/, ' needs a value')), join(suggestion, help));
  }
}

const QUOTES = 'Put quotes around words that belong together.';

function missingArgument(definition: Definition, name: string): string {
  const argument = definition.registeredArguments.find((one) => one.name() === name);
  return `<${name}> is missing: ${argument?.description ?? ''}.`;
}

/** How a person comes to what is missing, where a command shows it. */
function whereToFind(definition: Definition, name: string): string | undefined {
  if (name === 'plan') return 'Make one, and see what would go, with: coppice plan';
  const listing = name === 'id' ? listingOfIds(commandLine(definition)) : LISTINGS[name];
  return listing === undefined || definition.name() === 'add' ? undefined : `List them with: ${listing}`;
}

const LISTINGS: Readonly<Record<string, string>> = { run: 'coppice runs', name: 'coppice cron list' };

function listingOfIds(line: string): string {
  if (line.startsWith('coppice checkpoints ')) return 'coppice checkpoints list --all';
  return line === 'coppice sessions restore' ? 'coppice sessions list --archived' : 'coppice sessions list';
}

function tooMuch(definition: Definition): string {
  const { args, registeredArguments } = definition;
  return `'${args[registeredArguments.length] ?? ''}' is more than ${commandLine(definition)} takes.`;
}

/** Commands of this name that stand in another place, as `search` does in `sessions`. */
function elsewhere(definition: Definition): string | undefined {
  const [name = ''] = definition.args;
  if (name === 'version') return 'Did you mean coppice --version?';
  let top = definition;
  while (top.parent !== null) top = top.parent;
  const found = everyCommand(top).filter((one) => one.name() === name);
  if (found.length === 0) return undefined;
  return `Did you mean ${found.length > 1 ? 'one of ' : ''}${found.map(commandLine).join(', ')}?`;
}

function sentenceOf(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1).replace(/\.?$/, '.');
}

function join(suggestion: string, help: string): string {
  return suggestion === '' ? help : `${suggestion.replace(/^\((.*)\)$/, '$1')} ${help}`;
}
