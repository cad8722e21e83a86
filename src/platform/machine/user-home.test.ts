import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { expandTilde } from './user-home.ts';

it.each([
  ['~', homedir()],
  ['~/a/b', join(homedir(), 'a/b')],
  ['~someone/a', '~someone/a'],
  ['/projects/~/a', '/projects/~/a'],
  ['a~', 'a~'],
])('takes %s for %s', (given, path) => {
  expect(expandTilde(given)).toBe(path);
});
