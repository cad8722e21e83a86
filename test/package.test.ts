import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { tempDir } from './support/temp-dir.ts';

const ROOT = resolve(import.meta.dirname, '..');

/** The package as npm would publish it, unpacked where npm would put it, with its dependencies and nothing else of ours. */
function installed(): string {
  const directory = tempDir();
  const packed = execFileSync('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', directory], {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [{ filename }] = JSON.parse(packed) as [{ filename: string }];
  const modules = join(directory, 'node_modules');
  mkdirSync(join(modules, 'coppice'), { recursive: true });
  execFileSync('tar', ['-xzf', join(directory, filename), '-C', join(modules, 'coppice'), '--strip-components=1']);
  for (const name of readdirSync(join(ROOT, 'node_modules'))) {
    if (!name.startsWith('.') && name !== 'coppice') symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  }
  return directory;
}

it('runs from its package alone: the command line, the library and the manual pages are in it', () => {
  const directory = installed();
  const package_ = join(directory, 'node_modules', 'coppice');
  const env = { ...process.env, COPPICE_HOME: join(directory, 'home') };
  const run = (...args: string[]) => execFileSync(process.execPath, args, { cwd: directory, env, encoding: 'utf8' });
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };

  expect(run(join(package_, 'bin', 'coppice.js'), '--version')).toBe(`${version}\n`);
  expect(run(join(package_, 'bin', 'coppice.js'), 'status')).toMatch(/^CLASS/);
  const script = `import { openHome } from 'coppice';
    const home = await openHome();
    console.log((await home.sessions.create({ source: 'cli', id: 'first' })).id);
    await home.close();`;
  expect(run('--input-type=module', '-e', script)).toBe('first\n');
  expect(readdirSync(join(package_, 'man'))).toContain('coppice.1');
  expect(readdirSync(package_).toSorted()).toEqual(['LICENSE', 'README.md', 'bin', 'dist', 'man', 'package.json']);
});
