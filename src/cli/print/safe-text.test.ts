import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { safeLines, safeText } from './safe-text.ts';

// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const OBEYED = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

it('shows what would control a terminal instead of sending it', () => {
  expect(safeText('\x1b]0;owned\x07')).toBe('␛]0;owned␇');
  expect(safeText('a\nb\r\nc\td\x7f')).toBe('a⏎b⏎c␉d␡');
  expect(safeText('\u009b31m\u202etxt')).toBe('\ufffd31m\ufffdtxt');
});

it('leaves nothing in any text that a terminal obeys', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(safeText(text)).not.toMatch(OBEYED);
      expect(safeLines(text).replace(/[\n\t]/g, '')).not.toMatch(OBEYED);
    }),
  );
});

it('leaves letters of every language alone', () => {
  const text = 'Grüße, 世界, שלום, नमस्ते, 👩‍👩‍👧';
  expect(safeText(text)).toBe(text);
});

it('keeps line breaks and tabs in several lines, but no carriage return that could hide a line', () => {
  expect(safeLines('a\r\n\tb\rc\x1b[2K')).toBe('a\n\tb␍c␛[2K');
});
