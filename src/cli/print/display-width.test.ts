import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { displayWidth, truncate } from './display-width.ts';

it.each([
  ['', 0],
  ['plain', 5],
  ['Grüße', 5],
  ['e\u0301', 1],
  ['日本語', 6],
  ['한국', 4],
  ['\u1112\u1161\u11ab', 2],
  ['ＡＢ', 4],
  ['ｱ', 1],
  ['🎉', 2],
  ['👩‍👩‍👧', 2],
  ['👍🏽', 2],
  ['🇫🇷', 2],
  ['1️⃣', 2],
  ['❤️', 2],
  ['©', 1],
  ['𠀀', 2],
  ['a\u200bb', 2],
  ['␛⏎…', 3],
])('gives %j %d columns', (text, width) => expect(displayWidth(text)).toBe(width));

it('cuts every text to its width, from the start, between whole characters', () => {
  const texts = fc.string({ unit: fc.constantFrom('a', '世', '👩‍👩‍👧', 'e\u0301', ' ', '🇫🇷') });
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 30 }), (text, width) => {
      const cut = truncate(text, width);
      expect(displayWidth(cut)).toBeLessThanOrEqual(width);
      if (displayWidth(text) <= width) expect(cut).toBe(text);
      else {
        expect(cut.endsWith('…')).toBe(true);
        expect(text.startsWith(cut.slice(0, -1))).toBe(true);
        expect(displayWidth(cut)).toBeGreaterThanOrEqual(width - 1);
      }
    }),
  );
});

it('measures and cuts a title of any length', () => {
  const family = '👩‍👩‍👧';
  expect(displayWidth(`a${family.repeat(50_000)}`)).toBe(100_001);
  expect(displayWidth(`e${'\u0301'.repeat(5000)}`)).toBeLessThan(10);
  expect(truncate('世'.repeat(500_000), 7)).toBe('世世世…');
});
