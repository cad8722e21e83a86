import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { tempDir } from './support/temp-dir.ts';

const ROOT = resolve(import.meta.dirname, '..');

const MANIFEST = { name: 'coppice', version: '1.2.3', type: 'module', repository: 'github:someone/coppice' };

/** A tree that may be released, with a stand-in for npm that notes how it was called. */
function readyTree() {
  const folder = tempDir();
  const tree = join(folder, 'tree');
  const bin = join(folder, 'bin');
  const calls = join(folder, 'calls');
  mkdirSync(bin);
  for (const name of ['release.js', 'release-problems.js'])
    cpSync(join(ROOT, 'scripts', name), join(tree, 'scripts', name));
  writeFileSync(join(tree, 'package.json'), JSON.stringify(MANIFEST));
  writeFileSync(join(tree, 'CHANGELOG.md'), '# Changelog\n\n## 1.2.3 (2026-06-15)\n\n- Something new.\n');
  const answer = `[ "$1" = pack ] && echo '[{"filename":"coppice-1.2.3.tgz"}]'`;
  writeFileSync(join(bin, 'npm'), `#!/bin/sh\necho "npm $*" >> '${calls}'\n${answer}\nexit 0\n`, { mode: 0o755 });
  const env = { PATH: `${bin}:${process.env['PATH']}`, HOME: folder, GIT_CONFIG_GLOBAL: '/dev/null' };
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: tree, env, stdio: 'pipe' });
  git('init', '-q');
  git('add', '.');
  git('commit', '-qm', 'first');
  git('tag', 'v1.2.3');
  const release = (...args: string[]) =>
    spawnSync(process.execPath, [join(tree, 'scripts', 'release.js'), ...args], { env, encoding: 'utf8' });
  return { tree, git, release, called: () => readFileSync(calls, { encoding: 'utf8', flag: 'a+' }) };
}

it('checks and packs, and publishes nothing unless told so', () => {
  const { release, called } = readyTree();
  const { status, stdout } = release();
  expect(status).toBe(0);
  expect(stdout).toContain('Nothing was published.');
  expect(
    called()
      .split('\n')
      .map((line) => line.split(' ').slice(0, 2).join(' ')),
  ).toEqual(['npm run', 'npm pack', '']);
});

it.each([
  [
    'a manifest without a repository',
    changed('package.json', '{ "version": "1.2.3" }'),
    'npm pkg set repository=ADDRESS',
  ],
  ['a file that is not committed', ({ tree }: Tree) => writeFileSync(join(tree, 'x'), ''), 'not committed'],
  ['no tag of this version', ({ git }: Tree) => git('tag', '-d', 'v1.2.3'), 'git tag v1.2.3'],
  ['no entry in the changelog', changed('CHANGELOG.md', '# Changelog\n\n## 1.2.2\n\n- Old.\n'), 'no entry "## 1.2.3"'],
  ['an empty entry in the changelog', changed('CHANGELOG.md', '# Changelog\n\n## 1.2.3\n'), 'says nothing'],
])('refuses %s before anything is done', (_, spoil, sentence) => {
  const tree = readyTree();
  spoil(tree);
  const { status, stderr } = tree.release();
  expect(status).toBe(1);
  expect(stderr).toContain(sentence);
  expect(tree.called()).toBe('');
});

it('publishes with provenance only where it can be signed', () => {
  const { release, called } = readyTree();
  expect(release('--publish').stderr).toContain('Provenance can only be signed by a build service.');
  expect(called()).toBe('');
});

type Tree = ReturnType<typeof readyTree>;

function changed(name: string, text: string) {
  return ({ tree, git }: Tree) => {
    writeFileSync(join(tree, name), text);
    git('commit', '-qam', 'changed');
    git('tag', '-f', 'v1.2.3');
  };
}
