import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { manualClock, NOW } from '../../../test/support/clock.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { DAY_MS } from '../../core/time.ts';
import { createBearerFinder } from './find-bearer.ts';
import { createToken, listTokens, revokeToken, tokenFile } from './token-files.ts';

function place() {
  const homePath = tempDir();
  const clock = manualClock();
  const { find } = createBearerFinder({ homePath, token: 'T'.repeat(43), clock });
  const make = (name: string, expiresAt?: number) =>
    createToken(homePath, { name, scopes: ['read'], now: NOW, ...(expiresAt !== undefined && { expiresAt }) });
  return { homePath, clock, find, make };
}

describe('tokens that are given out', () => {
  it('are kept as a hash alone, for the eyes of their owner, whatever the umask', () => {
    const { homePath, make } = place();
    const before = process.umask(0);
    try {
      const { token, record } = make('ci');
      expect(Buffer.from(token.replace('coppice_', ''), 'base64url')).toHaveLength(32);
      const folder = join(homePath, 'tokens');
      const [name = ''] = readdirSync(folder);
      expect(readFileSync(join(folder, name), 'utf8')).not.toContain(token.slice(8));
      expect(readFileSync(join(folder, name), 'utf8')).toContain(record.hash);
      expect([folder, join(folder, name)].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o600]);
    } finally {
      process.umask(before);
    }
  });

  it('let their bearer in until they are revoked, and each at its own time', () => {
    const { homePath, find, make } = place();
    const [one, two] = [make('one').token, make('two').token];
    expect(find(one)?.bearer).toMatchObject({ name: 'one', scopes: ['read'] });
    const holder = find(one);
    revokeToken(homePath, 'one');
    expect([find(one), holder?.isGood(), find(two)?.bearer.name]).toEqual([undefined, false, 'two']);
    expect(() => revokeToken(homePath, 'one')).toThrow('There is no token named one');
    // The name is free again, and what was revoked stays so.
    make('one');
    expect(find(one)).toBeUndefined();
  });

  it('are good until the very moment at which they expire', () => {
    const { clock, find, make } = place();
    const { token } = make('brief', NOW + DAY_MS);
    const holder = find(token);
    clock.advance(DAY_MS - 1);
    expect([find(token)?.bearer.name, holder?.isGood()]).toEqual(['brief', true]);
    clock.advance(1);
    expect([find(token), holder?.isGood()]).toEqual([undefined, false]);
  });

  it('have a name each, and the owner keeps theirs', () => {
    const { make } = place();
    make('ci');
    expect(() => make('ci')).toThrow('There is a token named ci already');
    for (const name of ['owner', '', '../x', 'a b', 'x'.repeat(65), 'a\nb']) expect(() => make(name)).toThrow();
  });

  it('let nobody in when their file is damaged, is another one, or could have been written by others', () => {
    const { homePath, find, make } = place();
    const { token, record } = make('ci');
    const file = tokenFile(homePath, record.hash);
    const text = readFileSync(file, 'utf8');
    for (const wrong of ['', '{', text.slice(0, -10), text.replace('"schemaVersion":1', '"schemaVersion":2'), '[]']) {
      writeFileSync(file, wrong);
      expect([wrong, find(token)]).toEqual([wrong, undefined]);
      expect(listTokens(homePath).unreadable).toEqual([file]);
    }
    writeFileSync(file, text);
    chmodSync(file, 0o622);
    expect(find(token)).toBeUndefined();
    chmodSync(file, 0o600);
    expect(find(token)?.bearer.name).toBe('ci');
    // What stands under another hash is not that token.
    const other = make('other').record.hash;
    renameSync(file, tokenFile(homePath, other));
    expect([find(token), listTokens(homePath).tokens]).toEqual([undefined, []]);
  });

  it('never gain a scope or lose their end by what somebody wrote into the file', () => {
    const { homePath, find, make } = place();
    const { token, record } = make('ci', NOW + DAY_MS);
    const file = tokenFile(homePath, record.hash);
    const write = (change: object) =>
      writeFileSync(file, JSON.stringify({ ...(JSON.parse(readFileSync(file, 'utf8')) as object), ...change }));
    write({ scopes: ['all', 'read', 'everything'] });
    expect(find(token)?.bearer.scopes).toEqual(['read']);
    write({ expiresAt: 'never' });
    expect(find(token)).toBeUndefined();
  });

  it('of a folder that is something else are none', () => {
    const { homePath, find } = place();
    expect(listTokens(homePath).tokens).toEqual([]);
    mkdirSync(join(homePath, 'tokens', `${'a'.repeat(64)}.json`), { recursive: true });
    expect(listTokens(homePath)).toMatchObject({ tokens: [], unreadable: [expect.any(String)] });
    expect(find(`coppice_${'x'.repeat(43)}`)).toBeUndefined();
  });

  it('are neither made nor taken back behind a link', () => {
    const { homePath, make } = place();
    make('there');
    const outside = tempDir();
    renameSync(join(homePath, 'tokens'), join(outside, 'tokens'));
    symlinkSync(join(outside, 'tokens'), join(homePath, 'tokens'));
    expect(() => make('another')).toThrow('is a link or no folder');
    expect(() => revokeToken(homePath, 'there')).toThrow('is a link or no folder');
    expect(readdirSync(join(outside, 'tokens'))).toHaveLength(1);
  });
});
