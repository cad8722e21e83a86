import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { errorCode } from './error-code.ts';

it('finds the code of a system error', () => {
  let caught: unknown;
  try {
    readFileSync('/no/such/file');
  } catch (error) {
    caught = error;
  }
  expect(errorCode(caught)).toBe('ENOENT');
});

it('finds none in anything else', () => {
  const others = [
    new Error('plain'),
    Object.assign(new Error('numeric'), { code: 5 }),
    'ENOENT',
    undefined,
    { code: 'ENOENT' },
  ];
  expect(others.map(errorCode)).toEqual(others.map(() => undefined));
});
