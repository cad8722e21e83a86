import { describe, expect, it } from 'vitest';
import { nameOfTheDead, nameOfTheReused } from '../../../test/support/dead-process.ts';
import { HOUR_MS } from '../../core/time.ts';
import { isLeftBehind, isTemporaryName, ownerOf, temporaryName } from './temporary-name.ts';

describe('temporaryName', () => {
  it('says who made it and when, and is never given twice', () => {
    const before = Date.now();
    const name = temporaryName();
    expect(name).not.toBe(temporaryName());
    expect(name.startsWith(`.tmp-${process.pid}-`)).toBe(true);
    expect(ownerOf(name)).toMatchObject({ state: 'alive' });
    expect(ownerOf(name)?.since).toBeGreaterThanOrEqual(before);
    expect(ownerOf(temporaryName('work'), 'work')?.mark).toBe(ownerOf(name)?.mark);
  });

  it('is left behind once its process has ended, and not before', () => {
    expect(isLeftBehind(temporaryName(), 0)).toBe(false);
    expect(isLeftBehind(nameOfTheDead(), Date.now())).toBe(true);
  });

  it('is left behind when another process has the number of its owner', () => {
    const reused = nameOfTheReused();
    expect(reused.startsWith(`.tmp-${process.pid}-`)).toBe(true);
    expect(isTemporaryName(reused)).toBe(true);
    expect(isLeftBehind(reused, Date.now())).toBe(true);
  });

  it('is given an hour where its owner cannot be looked at', () => {
    const [dot, pid, , ...rest] = nameOfTheDead().split('-');
    const elsewhere = [dot, pid, '00000000', ...rest].join('-');
    expect(ownerOf(elsewhere)).toMatchObject({ state: 'unknown' });
    for (const name of [elsewhere, '.tmp-999999999-0123456789abcdef']) {
      expect(isLeftBehind(name, Date.now() - HOUR_MS / 2)).toBe(false);
      expect(isLeftBehind(name, Date.now() - 2 * HOUR_MS)).toBe(true);
    }
  });
});

describe('isTemporaryName', () => {
  it('knows the names of temporary files and no others', () => {
    expect([temporaryName(), '.tmp-12-0123456789abcdef'].every((name) => isTemporaryName(name))).toBe(true);
    const others = [
      '.tmp-12-0123',
      'tmp-12-0123456789abcdef',
      '.tmp-x-0123456789abcdef',
      '.tmp-12-0123456789abcdef.json',
      '.tmp',
      `${temporaryName()}.lock`,
      temporaryName('work'),
      '.tmp-12-pack-0123456789abcdef',
    ];
    expect(others.filter((name) => isTemporaryName(name) || isLeftBehind(name, 0))).toEqual([]);
  });
});
