import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../../../../test/support/temp-dir.ts';
import { Failure } from '../../../core/failure.ts';
import { readServerAddress } from './server-address.ts';

describe('the address of a server', () => {
  it('names a home in its database, and leaves what is not ours to the driver', () => {
    const address = readServerAddress('postgres://me@host:5433/db?space=team-a&wait=30&sslmode=verify-full');
    expect(address).toEqual({
      url: 'postgres://me@host:5433/db?sslmode=verify-full',
      space: 'team-a',
      where: 'host:5433/db (team-a)',
      named: false,
      waitMs: 30_000,
    });
  });

  it('is told to people without user and password', () => {
    expect(readServerAddress('postgresql://me:secret@host/db').where).toBe('host/db');
  });

  it('takes a password from a file that only its owner can read', () => {
    const path = join(tempDir(), 'password');
    writeFileSync(path, 'p@ss/word\n', { mode: 0o600 });
    const address = `postgres://me@host/db?password-file=${encodeURIComponent(path)}`;
    expect(new URL(readServerAddress(address).url).password).toBe('p%40ss%2Fword');
    chmodSync(path, 0o640);
    expect(() => readServerAddress(address)).toThrow(/Others can read the password/);
  });

  it('is refused in a sentence that repeats nothing of it', () => {
    for (const wrong of [
      'mysql://me:secret@host/db',
      'secret',
      'postgres://h/db?wait=secret',
      'postgres://h/db?space=',
    ]) {
      const refused = failureOf(() => readServerAddress(wrong));
      expect(refused.code).toBe('usage');
      expect(refused.message).not.toContain('secret');
    }
  });
});

function failureOf(act: () => unknown): Failure {
  try {
    act();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error('It was taken.');
}
