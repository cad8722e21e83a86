import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { expect, it } from 'vitest';
import { examplesIn, ROOT, textOf } from './support/documentation.ts';
import { tempDir } from './support/temp-dir.ts';

interface Packed {
  readonly filename: string;
  readonly version: string;
  readonly integrity: string;
  readonly size: number;
}

/** The test of a lock that somebody else wrote, by the suites of `coppice/kit`. */
const LOCK_TEST = examplesIn('ts').find(({ page }) => page === 'docs/guides/store.md')?.code ?? '';

/** The package as npm would publish it. */
function pack(directory: string): Packed {
  const printed = execFileSync('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', directory], {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [packed] = JSON.parse(printed) as [Packed];
  return packed;
}

/** A project that wants the package from its file, and exactly what we tested beside it. */
function writeProject(directory: string, { filename, version, integrity }: Packed): void {
  const { dependencies, bin } = JSON.parse(textOf('package.json')) as Record<string, unknown>;
  const lock = JSON.parse(textOf('package-lock.json')) as { packages: Record<string, { dev?: boolean }> };
  const needed = Object.entries(lock.packages).filter(([path, { dev }]) => path !== '' && dev !== true);
  const resolved = `file:${filename}`;
  const project = { name: 'clean', version: '1.0.0', dependencies: { coppice: resolved } };
  const packages = {
    '': project,
    'node_modules/coppice': { version, resolved, integrity, dependencies, bin },
    ...Object.fromEntries(needed),
  };
  writeFileSync(join(directory, 'package.json'), JSON.stringify(project));
  writeFileSync(join(directory, 'package-lock.json'), JSON.stringify({ ...project, lockfileVersion: 3, packages }));
}

/** The binary of SQLite in the form in which its makers publish it, so that its own script finds one and need not compile. */
function prepareBinary(directory: string): string {
  const folder = join(directory, 'prebuilds');
  const name = execFileSync(process.execPath, ['-p', BINARY_NAME], { cwd: ROOT, encoding: 'utf8' }).trim();
  mkdirSync(folder);
  const from = join(ROOT, 'node_modules', 'better-sqlite3');
  execFileSync('tar', ['-czf', join(folder, name), '-C', from, 'build/Release/better_sqlite3.node']);
  return folder;
}

const BINARY_NAME = `
  const pkg = require('better-sqlite3/package.json');
  const url = require('prebuild-install/util').getDownloadUrl({ ...require('prebuild-install/rc')(pkg), pkg });
  require('node:path').basename(url);`;

it('is as large as the README says, installs without a network, and brings the command line, the library and the manual pages', () => {
  const directory = tempDir();
  const packed = pack(directory);
  expect(packed.size / 1e6).toBeCloseTo(statedMegabytes(), 1);
  writeProject(directory, packed);
  // A machine on which nothing is set up, but for the packages that npm ci has left in npm's cache.
  const env = {
    PATH: process.env['PATH'],
    HOME: join(directory, 'me'),
    npm_config_cache: process.env['npm_config_cache'] ?? join(userInfo().homedir, '.npm'),
    npm_config_better_sqlite3_local_prebuilds: prepareBinary(directory),
  };
  // Where the network can be taken away, there is none: nothing is fetched, neither now nor on first use.
  const cut = spawnSync('unshare', ['--net', 'true']).status === 0 ? ['unshare', '--net'] : [];
  const run = (...line: string[]) => {
    const [program = '', ...args] = [...cut, ...line];
    return execFileSync(program, args, { cwd: directory, env, encoding: 'utf8', stdio: 'pipe' });
  };
  run('npm', 'ci', '--offline', '--no-audit', '--no-fund');

  const coppice = join('node_modules', '.bin', 'coppice');
  expect(run(coppice, '--version')).toBe(`${packed.version}\n`);
  expect(run(coppice, 'status')).toMatch(/^CLASS/);
  expect(run(coppice, 'serve', '--help')).toMatch(/^Usage: coppice serve/);
  const script = `import { openHome } from 'coppice';
    const home = await openHome();
    console.log((await home.sessions.create({ source: 'cli', id: 'first' })).id);
    await home.close();`;
  expect(run(process.execPath, '--input-type=module', '-e', script)).toBe('first\n');
  writeFileSync(join(directory, 'lock.mts'), LOCK_TEST);
  const types = [
    '--typeRoots',
    join(ROOT, 'node_modules/@types'),
    '--types',
    'node',
    '--lib',
    'es2023,esnext.disposable',
  ];
  const compiler = [join(ROOT, 'node_modules/typescript/bin/tsc'), '--strict', '--module', 'nodenext', ...types];
  run(process.execPath, ...compiler, '--target', 'es2022', '--skipLibCheck', 'lock.mts');
  expect(run(process.execPath, '--test-reporter=tap', 'lock.mjs')).toMatch(/# pass [1-9]\d*\n# fail 0\n/);
  const place = join(directory, 'node_modules', 'coppice');
  expect(readdirSync(join(place, 'man'))).toContain('coppice.1');
  expect(readdirSync(place).toSorted()).toEqual(['LICENSE', 'README.md', 'bin', 'dist', 'man', 'package.json']);
});

it('is sound to publint, and its types are right wherever a module can import it', async () => {
  const directory = tempDir();
  const tarball = new Uint8Array(readFileSync(join(directory, pack(directory).filename)));
  expect(await publint({ pack: { tarball: tarball.buffer }, strict: true })).toMatchObject({ messages: [] });
  const analysis = await checkPackage(createPackageFromTarballData(tarball));
  const problems = 'problems' in analysis ? analysis.problems : [analysis];
  expect(problems.filter((problem) => !('resolutionKind' in problem) || isForModules(problem.resolutionKind))).toEqual(
    [],
  );
});

/** Leaves out CommonJS and the way of Node 10: an ES module is not for them. */
function isForModules(resolution: string): boolean {
  return resolution !== 'node10' && resolution !== 'node16-cjs';
}

function statedMegabytes(): number {
  const [, stated] = /The package is about ([\d.]+) MB/.exec(textOf('README.md')) ?? [];
  return Number(stated);
}
