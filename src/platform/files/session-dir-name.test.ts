import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sessionDirName, sessionShard } from './session-dir-name.ts';

/** Any well-formed string, with those that are hard on file systems well represented. */
const anyId = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.string({
    unit: fc.constantFrom('a', 'A', '%', '6', '1', '~', '.', '/', 'é', 'e\u0301', '\0', ' '),
    maxLength: 12,
  }),
  fc.string({ unit: fc.constantFrom('a', 'A'), minLength: 40, maxLength: 160 }),
  fc.constantFrom('', '.', '..', 'con', 'CON', 'Con', '%63on', 'nul', 'com1', 'lpt9', 'aux.txt', '~', '%'),
);

describe('sessionDirName', () => {
  it.each([
    ['0190f3c2-7b1e-7cc3-98c4-dc0c0c07398f', '0190f3c2-7b1e-7cc3-98c4-dc0c0c07398f'],
    ['cron_daily', 'cron_daily'],
    ['Telegram:42', '%54elegram%3a42'],
    ['../etc', '%2e%2e%2fetc'],
    ['50%', '50%25'],
    ['~', '%7e'],
    ['é', '%c3%a9'],
    ['👋', '%f0%9f%91%8b'],
    ['', '%'],
  ])('writes %j as %s', (id, name) => {
    expect(sessionDirName(id)).toBe(name);
  });

  it.each(['con', 'prn', 'aux', 'nul', 'com0', 'com9', 'lpt0', 'lpt9'])('escapes the device name %s', (id) => {
    expect(sessionDirName(id)).toBe(`%${id.charCodeAt(0).toString(16)}${id.slice(1)}`);
  });

  it.each(['com', 'com10', 'cons', 'icon', 'lpt'])('leaves %s, which is no device name', (id) => {
    expect(sessionDirName(id)).toBe(id);
  });

  it('hashes an id whose name would be too long, and only then', () => {
    expect(sessionDirName('a'.repeat(140))).toBe('a'.repeat(140));
    const long = 'a'.repeat(141);
    expect(sessionDirName(long)).toBe(`~${createHash('sha256').update(long).digest('hex')}`);
  });

  it('gives every id its own name, also where case and Unicode form are ignored', () => {
    fc.assert(
      fc.property(anyId, anyId, (a, b) => {
        fc.pre(a !== b);
        for (const fold of [plain, lower, upper, nfc, nfd]) {
          expect(fold(sessionDirName(a))).not.toBe(fold(sessionDirName(b)));
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('gives ids that differ only in case, or only in Unicode form, different names', () => {
    fc.assert(
      fc.property(anyId, (id) => {
        const variants = [...new Set([id, lower(id), upper(id), nfc(id), nfd(id)])];
        expect(new Set(variants.map((variant) => lower(sessionDirName(variant)))).size).toBe(variants.length);
      }),
      { numRuns: 2000 },
    );
  });

  it('uses nothing that any file system refuses', () => {
    fc.assert(
      fc.property(anyId, (id) => {
        const name = sessionDirName(id);
        expect(name).toMatch(/^(?:[a-z0-9_%-]{1,140}|~[0-9a-f]{64})$/);
        expect(name).not.toMatch(/^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])$/);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('sessionShard', () => {
  it('is the start of the hash of the id', () => {
    expect(sessionShard('abc')).toBe('ba');
  });

  it('spreads ids that look alike', () => {
    const shards = new Set(Array.from({ length: 5000 }, (_, n) => sessionShard(`session-${n}`)));
    expect(shards.size).toBe(256);
  });
});

const plain = (text: string) => text;
const lower = (text: string) => text.toLowerCase();
const upper = (text: string) => text.toUpperCase();
const nfc = (text: string) => text.normalize('NFC');
const nfd = (text: string) => text.normalize('NFD');
