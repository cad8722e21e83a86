import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { main } from '../src/cli/main.ts';
import { captureIo } from './capture-io.ts';
import { makeExampleHome } from './e2e/example-home.ts';
import { sandbox } from './e2e/run-coppice.ts';
import { unrealCommands } from './support/real-commands.ts';

const ROOT = resolve(import.meta.dirname, '..');
const root = sandbox();
const PAGES = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...pagesBelow('docs')];
/** Pages whose shell examples are run as they stand; of the others every command is looked up. */
const RUN = ['README.md', 'docs/guides/policy.md'];

describe('the commands in the documentation', () => {
  it.each(PAGES)('exist, with their flags: %s', (page) => {
    const shown = [...textOf(page).matchAll(/`(coppice [^`]+)`/g)].map(([, line = '']) => line);
    expect([...shown, ...fenced(page, 'sh').flatMap(commandsIn)].flatMap(unrealCommands)).toEqual([]);
  });

  const blocks = RUN.flatMap((page) => fenced(page, 'sh').map((block) => ({ page, block })));

  it.each(blocks.map((one, number) => ({ ...one, number })))('do what they say: $page, block $number', async (one) => {
    const { run } = await exampleMachine(`${one.page} ${one.number}`);
    for (const line of commandsIn(one.block)) {
      const { code, err } = await run(line);
      expect({ line, code, err: code === 0 ? '' : err }).toEqual({ line, code: 0, err: '' });
    }
  });
});

it('begins with a page of less than 150 lines', () => {
  expect(textOf('README.md').split('\n').length).toBeLessThan(150);
});

describe('the settings in the documentation', () => {
  const blocks = PAGES.flatMap((page) => fenced(page, 'yaml').map((yaml) => ({ page, yaml })));

  it.each(blocks)('are valid: $page', async ({ page, yaml }) => {
    const { run, home } = await exampleMachine(`${page} ${yaml}`);
    writeFileSync(join(home, 'config.yaml'), yaml);
    expect(await run('coppice config check')).toMatchObject({ code: 0 });
  });
});

/** A person's machine: a home with sessions, a project, old transcripts and an agent. Names in capitals stand for ids. */
async function exampleMachine(name: string) {
  const folder = join(root, name.replaceAll(/\W+/g, '-').slice(0, 60));
  const home = join(folder, '.coppice');
  for (const made of ['old-transcripts', 'project', 'bin']) mkdirSync(join(folder, made), { recursive: true });
  writeFileSync(join(folder, 'project', 'a.txt'), 'a');
  writeFileSync(join(folder, 'bin', 'my-agent'), '#!/bin/sh\nexit 0\n');
  chmodSync(join(folder, 'bin', 'my-agent'), 0o755);
  await makeExampleHome(home);
  const env = { COPPICE_HOME: home, HOME: folder, PATH: `${join(folder, 'bin')}:${process.env['PATH']}` };
  let printed = '';
  const run = async (line: string) => {
    const [, plan = ''] = /coppice apply ([0-9a-f]{16})/.exec(printed) ?? [];
    const [, checkpoint = ''] = /^([0-9a-f]{12}) /m.exec(printed) ?? [];
    const { io, out, err } = captureIo({ env, cwd: folder, now: Date.now() });
    const words = wordsOf(line).map((word) =>
      word
        .replace(/^ID$/, 'alpha-disk')
        .replace(/^PLAN$/, plan)
        .replace(/^CHECKPOINT$/, checkpoint)
        .replace('/projects/app', join(folder, 'project'))
        .replace(/^~/, folder),
    );
    const asks = /^coppice (apply|undo|sessions archive|checkpoints restore)/.test(line);
    const code = await main([...words.slice(1), ...(asks ? ['--yes'] : [])], io);
    printed = out();
    return { code, err: err() };
  };
  return { run, home };
}

/** The lines that call Coppice, without what is said about them. */
function commandsIn(block: string): string[] {
  const lines = block.split('\n').filter((line) => line.startsWith('coppice '));
  return lines.map((line) => line.replace(/ +# .*$/, ''));
}

function fenced(page: string, language: string): string[] {
  const blocks = textOf(page).matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'));
  return [...blocks].map(([, block = '']) => block);
}

function wordsOf(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? '');
}

function textOf(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8');
}

function pagesBelow(folder: string): string[] {
  const names = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.md')).map((name) => join(folder, name));
}
