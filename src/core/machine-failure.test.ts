import { expect, it } from 'vitest';
import { machineFailure } from './machine-failure.ts';

function errorWith(code: string, path?: string): Error {
  return Object.assign(new Error(code), { code, ...(path !== undefined && { path }) });
}

it.each([
  ['ENOSPC', 'failed'],
  ['SQLITE_FULL', 'failed'],
  ['EACCES', 'refused'],
  ['SQLITE_READONLY_DBMOVED', 'refused'],
  ['SQLITE_CORRUPT_VTAB', 'integrity'],
  ['SQLITE_BUSY_SNAPSHOT', 'locked'],
  ['SQLITE_IOERR_READ', 'failed'],
  ['ENOTDIR', 'refused'],
  ['ERR_DLOPEN_FAILED', 'failed'],
])('says what %s means, and the next step', (code, failure) => {
  const error = errorWith(code);
  expect(machineFailure(error)).toMatchObject({ code: failure, hint: expect.any(String), cause: error });
});

it('names the file that the error names, unless the caller knows better', () => {
  const error = errorWith('EACCES', '/projects/app/x');
  expect(machineFailure(error)?.message).toContain('/projects/app/x');
  expect(machineFailure(error, '/other')?.message).toContain('/other');
  expect(machineFailure(errorWith('EACCES'))?.message).toContain('the home');
});

it('names the package that is missing', () => {
  const missing = Object.assign(new Error("Cannot find package 'zod' imported from /x.js"), {
    code: 'ERR_MODULE_NOT_FOUND',
  });
  expect(machineFailure(missing)?.message).toContain('zod');
  expect(machineFailure(new Error('Could not locate the bindings file. Tried:'))?.message).toContain('better-sqlite3');
});

it('leaves alone what it does not know', () => {
  for (const other of [new Error('boom'), errorWith('ENOENT'), errorWith('ERR_MODULE_NOT_FOUND'), 'text', undefined])
    expect(machineFailure(other)).toBeUndefined();
});
