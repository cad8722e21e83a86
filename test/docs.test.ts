import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Checkpoints } from '../src/app/checkpoints.ts';
import { Gateway } from '../src/app/gateway/gateway.ts';
import { Scheduler } from '../src/app/gateway/scheduler.ts';
import { Home } from '../src/app/home.ts';
import { Retention } from '../src/app/retention.ts';
import { Session } from '../src/app/sessions/session.ts';
import { Sessions } from '../src/app/sessions/sessions.ts';
import * as api from '../src/index.ts';

const ROOT = resolve(import.meta.dirname, '..');
const PAGES = ['README.md', 'docs/library.md', 'docs/guides/embed.md', 'docs/guides/hermes.md'];

interface Example {
  readonly page: string;
  readonly code: string;
}

const examples: Example[] = PAGES.flatMap((page) => {
  const text = readFileSync(join(ROOT, page), 'utf8');
  return [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => ({ page, code }));
});

describe('the documentation', () => {
  let directory: string;

  /** Examples are compiled and run as a user's own project would, with the built package in node_modules. */
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'coppice-docs-'));
    mkdirSync(join(directory, 'node_modules', '@types'), { recursive: true });
    symlinkSync(ROOT, join(directory, 'node_modules', 'coppice'), 'dir');
    symlinkSync(join(ROOT, 'node_modules', '@types', 'node'), join(directory, 'node_modules', '@types', 'node'), 'dir');
    writeFileSync(join(directory, 'package.json'), '{ "type": "module" }');
    const options = {
      target: 'ES2022',
      module: 'NodeNext',
      lib: ['ES2023', 'ESNext.Disposable'],
      types: ['node'],
      strict: true,
      outDir: 'out',
      rootDir: '.',
      skipLibCheck: true,
    };
    writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, include: ['*.ts'] }));
    for (const [index, { code }] of examples.entries()) writeFileSync(join(directory, `example-${index}.ts`), code);
    execFileSync(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', directory], { stdio: 'pipe' });
  });

  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  it.each(examples.map(({ page, code }, index) => ({ index, page, first: code.split('\n')[0] })))(
    'has an example that runs: $page, number $index',
    ({ index }) => {
      const home = join(directory, `home-${index}`, '.coppice');
      const env = { ...process.env, COPPICE_HOME: home };
      execFileSync(process.execPath, [join(directory, 'out', `example-${index}.js`)], { env, stdio: 'pipe' });
    },
  );

  it('shows every public function in an example', () => {
    const code = examples.map((example) => example.code).join('\n');
    const methods = [Home, Sessions, Session, Retention, Checkpoints, Gateway, Scheduler].flatMap((owner) =>
      Object.getOwnPropertyNames(owner.prototype),
    );
    const names = new Set([...methods, ...Object.keys(api)].filter((name) => name !== 'constructor'));
    expect([...names].filter((name) => !new RegExp(`\\b${name}\\b`).test(code))).toEqual([]);
  });
});
