import type { Command as Definition } from 'commander';
import { closestWord } from '../app/config/closest-word.ts';
import { Failure } from '../core/failure.ts';
import { commandLine } from './command-tree.ts';
import { exitCodesText } from './exit-codes-text.ts';
import { HELP_TOPICS } from './help-topics.ts';
import type { TextOutput } from './io.ts';

/** `coppice help [command…]`, or one of the topics. */
export function showHelp(program: Definition, names: readonly string[], out: TextOutput): number {
  const topics: Readonly<Record<string, string>> = { ...HELP_TOPICS, 'exit-codes': `${exitCodesText()}\n` };
  const [first = ''] = names;
  if (names.length === 1 && Object.hasOwn(topics, first)) {
    out.write(topics[first] ?? '');
    return 0;
  }
  let definition = program;
  for (const name of names) {
    const next = definition.commands.find((one) => one.name() === name || one.aliases().includes(name));
    if (next === undefined) throw unknownHelp(definition, name, definition === program ? Object.keys(topics) : []);
    definition = next;
  }
  definition.outputHelp();
  return 0;
}

function unknownHelp(definition: Definition, name: string, topics: readonly string[]): Failure {
  const meant = closestWord(name, [...definition.commands.map((one) => one.name()), ...topics]);
  const help = `Run: ${commandLine(definition)} --help`;
  return new Failure('usage', `There is no command '${commandLine(definition)} ${name}'.`, {
    hint: meant === undefined ? help : `Did you mean ${meant}? ${help}`,
  });
}
