import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { BIN, finished, sandbox, start } from '../e2e/run-coppice.ts';
import { ROOT } from '../support/documentation.ts';

const root = sandbox();

describe('a program that is not whole', () => {
  const copy = join(root, 'copy');
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [join(copy, 'bin', 'coppice.js'), ...args], {
      env: { HOME: copy, COPPICE_HOME: join(copy, 'home') },
      encoding: 'utf8',
    });

  beforeAll(() => {
    mkdirSync(join(copy, 'node_modules'), { recursive: true });
    for (const name of ['bin', 'dist']) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
    copyFileSync(join(ROOT, 'package.json'), join(copy, 'package.json'));
  });

  it('says so without its packages, and then without the compiled part of SQLite', () => {
    const bare = run('status');
    expect(bare.status).toBe(1);
    expect(bare.stderr).toBe('coppice: The packages that Coppice needs are not installed. Run: npm ci\n');

    const modules = join(ROOT, 'node_modules');
    for (const name of ['commander', 'croner', 'yaml', 'zod', 'bindings', 'file-uri-to-path'])
      symlinkSync(join(modules, name), join(copy, 'node_modules', name));
    for (const part of ['lib', 'package.json'])
      cpSync(join(modules, 'better-sqlite3', part), join(copy, 'node_modules', 'better-sqlite3', part), {
        recursive: true,
      });
    const unbuilt = run('status');
    expect(unbuilt.status).toBe(1);
    expect(unbuilt.stderr).toMatch(
      /^coppice: The package better-sqlite3 is not installed, or not for this Node\.js\.\nRun: npm rebuild better-sqlite3, .*\n$/,
    );
  });

  it('can say that Node.js is too old even there: its launcher loads nothing of ours, and is in plain syntax', () => {
    const launcher = readFileSync(BIN, 'utf8');
    const loaded = [...launcher.matchAll(/^import .* from '([^']+)'/gm)].map(([, name]) => name);
    expect(loaded).toEqual(['node:fs']);
    expect(launcher).not.toMatch(/\busing |\?\?=|\|\|=|&&=|\bwith \{|\.toSorted|\.at\(/);
  });
});

it('says nothing when the reader of its output has seen enough', async () => {
  const child = start(join(root, 'home'), ['sessions', 'list']);
  child.stdin.end();
  child.stdout.destroy();
  const { code, stderr } = await finished(child);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});
