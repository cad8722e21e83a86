import { describe, expect, it } from 'vitest';
import { captureIo, NOW } from '../../test/capture-io.ts';
import { DAY_MS } from '../core/time.ts';
import { commandLine, everyCommand } from './command-tree.ts';
import { createProgram, readGlobalOptions } from './program.ts';

/** The program with commands that do nothing but say how they were called. */
function dryProgram() {
  const calls: { command: string; args: readonly string[]; options: object; global: object }[] = [];
  const { io, out } = captureIo();
  const program = createProgram({
    out: io.out,
    clock: io.clock,
    version: '1.2.3',
    execute: async (_, definition) => {
      const call = { args: definition.args, options: definition.opts(), global: readGlobalOptions(program) };
      calls.push({ command: commandLine(definition), ...call });
    },
  });
  return { program, calls, out };
}

async function parsed(...argv: readonly string[]) {
  const { program, calls } = dryProgram();
  await program.parseAsync([...argv], { from: 'user' });
  return calls[0];
}

const commands = everyCommand(dryProgram().program);

describe.each(commands.map((definition) => [commandLine(definition)] as const))('%s', (line) => {
  it('has a description on one line, and examples of itself or of its commands that are valid', async () => {
    const { program, out } = dryProgram();
    const definition = everyCommand(program).find((candidate) => commandLine(candidate) === line);
    definition?.outputHelp();
    expect(definition?.description()).toMatch(/^[A-Z][^\n]+$/);
    const examples = out().split('Examples:\n')[1]?.split('\n\n')[0]?.trimEnd().split('\n') ?? [];
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples) {
      expect(example.trim()).toMatch(new RegExp(`^${line}( |$)`));
      const words = [...example.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? '');
      const argv = words.slice(1).join('\0').split('\0>')[0]?.split('\0') ?? [];
      if (!argv.includes('--help')) expect(await parsed(...argv)).toBeDefined();
    }
  });

  it('describes every argument and option', () => {
    const definition = commands.find((candidate) => commandLine(candidate) === line);
    for (const { description } of [...(definition?.options ?? []), ...(definition?.registeredArguments ?? [])])
      expect(description).not.toBe('');
  });
});

it('takes global options before and after the command', async () => {
  const global = {
    home: '/srv',
    json: true,
    set: [
      { key: 'a', value: '1' },
      { key: 'b', value: '2' },
    ],
    color: false,
  };
  const before = await parsed(
    '--home',
    '/srv',
    '--json',
    '--set',
    'a=1',
    '--set',
    'b=2',
    '--no-color',
    'sessions',
    'stats',
  );
  const after = await parsed('sessions', '--set=a=1', 'stats', '--no-color', '--home=/srv', '--json', '--set', 'b=2');
  expect(before?.global).toEqual(global);
  expect(after?.global).toEqual(global);
  expect((await parsed('sessions', 'stats'))?.global).toEqual({ json: false, set: [] });
});

it('hands over options checked and converted', async () => {
  const line = 'sessions list --source cli --active --limit 5 --since 7d --before 1 --sort cost';
  const list = await parsed(...line.split(' '));
  expect(list?.options).toEqual({
    source: 'cli',
    active: true,
    limit: 5,
    since: NOW - 7 * DAY_MS,
    before: NOW - DAY_MS,
    sort: 'cost',
  });
  expect((await parsed('sessions', 'show', 'x', '--messages', 'all'))?.options).toEqual({ messages: 'all' });
  expect((await parsed('sessions', 'show', 'x', '--messages', '3'))?.options).toEqual({ messages: 3 });
  expect((await parsed('sessions', 'export', 'x'))?.options).toEqual({ format: 'jsonl' });
  expect((await parsed('sessions', 'tail', 'x', '-n', '2', '-f'))?.options).toEqual({ messages: 2, follow: true });
  expect((await parsed('sessions', 'tag', 'x', '--add', 'a', '--remove', 'c', '--add', 'b'))?.options).toEqual({
    add: ['a', 'b'],
    remove: ['c'],
  });
});

it('hands over arguments in order, wherever the options stand', async () => {
  expect((await parsed('sessions', 'pin', 'a', '--json', 'b'))?.args).toEqual(['a', 'b']);
  expect((await parsed('sessions', 'search', 'one', '--limit', '3', 'two'))?.args).toEqual(['one', 'two']);
  expect((await parsed('sessions', 'search', '--', '--json', '-word'))?.args).toEqual(['--json', '-word']);
  expect((await parsed('sessions', 'rename', '--json', '--', 'x', '--title'))?.args).toEqual(['x', '--title']);
});

it('takes -y wherever it takes --yes', async () => {
  const agreeing = commands.filter(({ options }) => options.some(({ long }) => long === '--yes'));
  expect(agreeing.length).toBeGreaterThan(8);
  for (const definition of agreeing) expect(definition.options.find(({ long }) => long === '--yes')?.short).toBe('-y');
  expect((await parsed('sessions', 'delete', '-y', 'a'))?.options).toEqual({ yes: true });
});

it('finds the module of every command', async () => {
  const { io } = captureIo();
  const loaded: string[] = [];
  const program = createProgram({
    out: io.out,
    clock: io.clock,
    version: '1.2.3',
    execute: async (load, definition) => {
      expect(typeof (await load()).run).toBe('function');
      loaded.push(commandLine(definition));
    },
  });
  const leaves = everyCommand(program).filter((definition) => definition.commands.length === 0);
  for (const leaf of leaves) {
    const args = leaf.registeredArguments.map((argument) => argument.argChoices?.[0] ?? 'x');
    const mandatory = leaf.options
      .filter(({ mandatory: needed }) => needed)
      .flatMap(({ long, argChoices }) => [long ?? '', argChoices?.[0] ?? 'x']);
    await program.parseAsync([...commandLine(leaf).split(' ').slice(1), ...mandatory, ...args], { from: 'user' });
  }
  expect(loaded).toEqual(leaves.map(commandLine));
});
