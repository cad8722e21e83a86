import { linkSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tempDir } from '../../test/support/temp-dir.ts';
import { appendDurably } from './append-durably.ts';

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
