import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readRunEvent } from '../../src/gateway/run/output/run-event.ts';
import { superviseRun } from '../../src/gateway/run/supervise-run.ts';
import { collectRun } from '../support/run-collector.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const PAGE = readFileSync(join(ROOT, 'docs/formats/events.md'), 'utf8');
const PYTHON = spawnSync('python3', ['--version']).status === 0;

function example(language: string): string {
  const code = new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'ms').exec(PAGE)?.[1];
  if (code === undefined) throw new Error(`The page has no example in ${language}.`);
  return code;
}

/** Compiled as strictly as a user may want it. */
function compile(directory: string, code: string): string {
  mkdirSync(join(directory, 'node_modules/@types'), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules/@types/node'), join(directory, 'node_modules/@types/node'), 'dir');
  writeFileSync(join(directory, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(directory, 'agent.ts'), code);
  const options = ['--strict', '--module', 'nodenext', '--target', 'es2022', '--types', 'node', '--skipLibCheck'];
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [tsc, ...options, 'agent.ts'], { cwd: directory, stdio: 'pipe' });
  return join(directory, 'agent.js');
}

const SAID = [
  { kind: 'title', title: 'Say hello' },
  { kind: 'iteration' },
  { kind: 'message', message: { role: 'user', content: 'hello' } },
  { kind: 'usage', usage: { model: 'm-1', inputTokens: 12, outputTokens: 3, costUsd: 0.0001 } },
  { kind: 'message', message: { role: 'assistant', content: 'hello to you', model: 'm-1' } },
];

interface Agent {
  readonly language: string;
  /** The command that runs an example, once it is written to a directory. */
  readonly command: (directory: string, code: string) => readonly [string, ...string[]];
}

const AGENTS: readonly Agent[] = [
  { language: 'ts', command: (directory, code) => [process.execPath, compile(directory, code)] },
  ...(PYTHON ? [{ language: 'python', command: (_: string, code: string) => ['python3', '-c', code] as const }] : []),
  { language: 'sh', command: (_, code) => ['sh', '-c', code] },
];

describe('the page about events', () => {
  it.each(AGENTS)('has an example in $language that says what it shows', async ({ language, command: toCommand }) => {
    const run = collectRun();
    const [command, ...args] = toCommand(run.options.cwd, example(language));
    const result = await superviseRun({ ...run.options, command, args });
    expect(run.shown('stderr').toString()).toBe('');
    expect(result).toMatchObject({ exitStatus: 0, stats: { events: SAID.length, refusedLines: 0 } });
    expect(run.events).toEqual(SAID);
  });

  it('has a shell example that does nothing without a supervisor', () => {
    const env = { PATH: process.env['PATH'] };
    expect(execFileSync('sh', ['-c', example('sh')], { env, encoding: 'utf8' })).toBe('');
  });

  it('shows only lines that are events', () => {
    const lines = example('jsonl').trimEnd().split('\n');
    expect(lines.map((line) => readRunEvent(line).status)).toEqual(lines.map(() => 'event'));
    const kinds = lines.map((line) => (JSON.parse(line) as { coppice: string }).coppice);
    expect(new Set(kinds)).toEqual(
      new Set([...PAGE.matchAll(/^\| `(\w+)` \| (?:.*)\|.*\|$/gm)].map(([, kind]) => kind)),
    );
  });
});
