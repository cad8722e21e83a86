import type { Command as Definition } from 'commander';
import { createColour } from '../../src/cli/print/colour.ts';
import { createProgram } from '../../src/cli/program.ts';

const program = createProgram({
  out: {
    write: () => undefined,
    drained: async () => undefined,
    isTerminal: false,
    columns: 80,
    colour: createColour(false),
  },
  version: '0.0.0',
  clock: { now: () => 0 },
  execute: async () => undefined,
});

/** What in a text looks like a command of ours but is none: a name that does not exist, or a flag that it does not take. */
export function unrealCommands(text: string): readonly string[] {
  return [...text.matchAll(/\bcoppice((?: [^\s,;.?()]+)+)/g)].flatMap(([line, words = '']) => {
    // What stands after a lone -- is for another program.
    const problem = problemWith(
      words
        .trim()
        .replace(/ -- .*/, '')
        .split(' '),
    );
    return problem === undefined ? [] : [`${line}: ${problem}`];
  });
}

function problemWith(words: readonly string[]): string | undefined {
  let definition: Definition = program;
  for (const word of words) {
    const next = definition.commands.find((one) => one.name() === word);
    if (next === undefined) break;
    definition = next;
  }
  const [first = ''] = words;
  if (definition === program && !first.startsWith('-')) return `there is no command ${first}`;
  // A group of commands takes the options of the one that it stands for.
  const standsFor = definition.commands.filter(isDefault);
  const known = [definition, ...standsFor, program]
    .flatMap(({ options }) => options)
    .flatMap(({ long, short }) => [long, short]);
  return words.find((word) => /^(--[a-z]|-[a-z]$)/.test(word) && ![...known, '--help', '-h'].includes(word));
}

/** Commander keeps to itself which command of a group is meant when none is named. */
function isDefault(definition: Definition): boolean {
  const { parent } = definition;
  return parent !== null && Reflect.get(parent, '_defaultCommandName') === definition.name();
}
