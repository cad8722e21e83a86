import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../../test/support/temp-dir.ts';
import { readOrMakeToken, readToken, tokenPath } from './token.ts';

describe('the token of a home', () => {
  it('is made once, of 32 random bytes, for its owner alone whatever the umask', () => {
    const home = tempDir();
    const before = process.umask(0);
    try {
      const token = readOrMakeToken(home);
      expect(Buffer.from(token, 'base64url')).toHaveLength(32);
      expect(statSync(tokenPath(home)).mode & 0o777).toBe(0o600);
      expect(readOrMakeToken(home)).toBe(token);
      expect(readOrMakeToken(tempDir())).not.toBe(token);
    } finally {
      process.umask(before);
    }
  });

  it('is made under a name that bears its owner, in the home itself, whatever stands in its place', () => {
    const [home, outside] = [tempDir(), tempDir()];
    symlinkSync(join(outside, 'token'), tokenPath(home));
    mkdirSync(`${tokenPath(home)}.new`);
    const token = readOrMakeToken(home);
    expect(readFileSync(tokenPath(home), 'utf8').trim()).toBe(token);
    expect(readdirSync(home)).toEqual(['token', 'token.new']);
    expect(readdirSync(outside)).toEqual([]);
  });

  it('is refused when others could have read it, and is left as it is', () => {
    const home = tempDir();
    const token = readOrMakeToken(home);
    for (const mode of [0o640, 0o604, 0o620]) {
      chmodSync(tokenPath(home), mode);
      expect(() => readOrMakeToken(home)).toThrow('no secret any more');
    }
    expect(readFileSync(tokenPath(home), 'utf8').trim()).toBe(token);
  });

  it('is refused when the file holds something else', () => {
    const path = tokenPath(tempDir());
    for (const text of ['', 'short', 'x'.repeat(44), `${'x'.repeat(42)}!`]) {
      writeFileSync(path, text, { mode: 0o600 });
      expect(() => readToken(path)).toThrow('does not hold a token');
    }
  });
});
