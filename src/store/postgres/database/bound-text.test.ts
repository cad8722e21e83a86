import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boundText, digestOf, readText } from './bound-text.ts';

const units = fc.array(fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.constantFrom(0, 0xd800, 0xdc00, 0xfffe, 0x61)));
const anyString = units.map((codes) => String.fromCharCode(...codes));

describe('text that is bound', () => {
  it('is text of a server, and comes back exactly, whatever it was', () => {
    fc.assert(
      fc.property(anyString, (text) => {
        const bound = boundText(text);
        expect(bound.isWellFormed()).toBe(true);
        expect(bound).not.toContain('\0');
        expect(readText(bound)).toBe(text);
      }),
    );
  });

  it('stays as it is where a server can hold it', () => {
    for (const text of ['', 'plain', 'Ünïcode 磁盘 🌲', '\u0001\n']) expect(boundText(text)).toBe(text);
  });

  it('has a digest that tells lists apart, however they are joined', () => {
    expect(digestOf('a', 'bc')).not.toBe(digestOf('ab', 'c'));
    expect(digestOf('a'.repeat(100_000)).length).toBe(43);
  });
});
