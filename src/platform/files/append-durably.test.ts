import { linkSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { appendDurably } from './append-durably.ts';
import { DirectoryHandle } from './directory-handle.ts';

it('adds to what is there, in a file that only its owner can read', () => {
  const path = join(tempDir(), 'log');
  appendDurably(path, 'one\n');
  appendDurably(path, 'é 👋\n');
  expect(readFileSync(path, 'utf8')).toBe('one\né 👋\n');
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

it.each([
  ['a link to a file', symlinkSync],
  ['a file that has another name', linkSync],
])('adds nothing to %s', (_, link) => {
  const root = tempDir();
  writeFileSync(join(root, 'canary'), 'not yours\n');
  link(join(root, 'canary'), join(root, 'log'));
  expect(() => appendDurably(join(root, 'log'), 'one\n')).toThrow();
  expect(readFileSync(join(root, 'canary'), 'utf8')).toBe('not yours\n');
});

it('names the file as a person knows it, also when it was reached through an open folder', () => {
  const root = tempDir();
  writeFileSync(join(root, 'canary'), '');
  linkSync(join(root, 'canary'), join(root, 'log'));
  using folder = DirectoryHandle.open(root);
  expect(() => appendDurably(folder.at('log'), 'one\n')).toThrow(`${join(root, 'log')} has other names`);
});
