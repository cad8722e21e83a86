import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { tempDir } from './support/temp-dir.ts';

const ROOT = resolve(import.meta.dirname, '..');

interface Packed {
  readonly filename: string;
  readonly size: number;
}

/** The package as npm would publish it, in a directory of its own. */
function pack(): Packed & { readonly directory: string } {
  const directory = tempDir();
  const printed = execFileSync('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', directory], {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [packed] = JSON.parse(printed) as [Packed];
  return { ...packed, directory };
}

/** The package where npm would put it, with what npm installs for those who use it: nothing of ours, no tools of development. */
function installed({ directory, filename }: ReturnType<typeof pack>): string {
  const modules = join(directory, 'node_modules');
  mkdirSync(join(modules, 'coppice'), { recursive: true });
  execFileSync('tar', ['-xzf', join(directory, filename), '-C', join(modules, 'coppice'), '--strip-components=1']);
  for (const name of runtimePackages()) symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  return directory;
}

function runtimePackages(): string[] {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean; optional?: boolean }>;
  };
  const top = Object.entries(lock.packages).filter(([path]) => /^node_modules\/[^/@]+$/.test(path));
  return top.filter(([, { dev, optional }]) => !dev && !optional).map(([path]) => path.slice('node_modules/'.length));
}

it('is as large as the README says, and runs from its package alone: the command line, the library and the manual pages are in it', () => {
  const packed = pack();
  expect(packed.size / 1e6).toBeCloseTo(statedMegabytes(), 1);
  const directory = installed(packed);
  const package_ = join(directory, 'node_modules', 'coppice');
  const env = { ...process.env, COPPICE_HOME: join(directory, 'home') };
  // Where a network can be taken away, there is none: nothing is fetched on first use.
  const cut = spawnSync('unshare', ['--net', 'true']).status === 0 ? ['unshare', '--net'] : [];
  const run = (...args: string[]) => {
    const [program = '', ...rest] = [...cut, process.execPath, '--preserve-symlinks', ...args];
    return execFileSync(program, rest, { cwd: directory, env, encoding: 'utf8' });
  };
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };

  expect(run(join(package_, 'bin', 'coppice.js'), '--version')).toBe(`${version}\n`);
  expect(run(join(package_, 'bin', 'coppice.js'), 'status')).toMatch(/^CLASS/);
  expect(run(join(package_, 'bin', 'coppice.js'), 'serve', '--help')).toMatch(/^Usage: coppice serve/);
  const script = `import { openHome } from 'coppice';
    const home = await openHome();
    console.log((await home.sessions.create({ source: 'cli', id: 'first' })).id);
    await home.close();`;
  expect(run('--input-type=module', '-e', script)).toBe('first\n');
  expect(readdirSync(join(package_, 'man'))).toContain('coppice.1');
  expect(readdirSync(package_).toSorted()).toEqual(['LICENSE', 'README.md', 'bin', 'dist', 'man', 'package.json']);
});

function statedMegabytes(): number {
  const [, stated] = /The package is about ([\d.]+) MB/.exec(readFileSync(join(ROOT, 'README.md'), 'utf8')) ?? [];
  return Number(stated);
}
