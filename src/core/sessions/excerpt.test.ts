import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeExcerpt } from './excerpt.ts';

/** The marked pieces of an excerpt. */
function marked(text: string, terms: readonly string[]): string[] {
  const excerpt = makeExcerpt(text, terms);
  return excerpt.marks.map(([from, to]) => excerpt.text.slice(from, to));
}

describe('an excerpt', () => {
  it('is the whole of a short text', () => {
    expect(makeExcerpt('the disk is full', ['disk'])).toEqual({ text: 'the disk is full', marks: [[4, 8]] });
  });

  it('is cut around the place that matched, and shows where it was cut', () => {
    const { text } = makeExcerpt(`${'x '.repeat(500)}needle${' y'.repeat(500)}`, ['needle']);
    expect(text).toMatch(/^….*needle.*…$/);
    expect(text.length).toBeLessThanOrEqual(162);
  });

  it('shows the place where most of the words stand together', () => {
    const text = `disk ${'x '.repeat(300)} the disk is full ${'y '.repeat(300)} full`;
    expect(marked(text, ['disk', 'full'])).toEqual(['disk', 'full']);
  });

  it('marks every place, in any case and with any accent', () => {
    expect(marked('Café, CAFE, cafe\u0301', ['cafe'])).toEqual(['Café', 'CAFE', 'cafe\u0301']);
  });

  it('marks the right characters after others that fold to more or fewer', () => {
    expect(marked('İİ e\u0301e\u0301 ǆ ﬀ needle', ['needle'])).toEqual(['needle']);
    expect(marked('🌲🌲 日本語 needle', ['本', 'needle'])).toEqual(['本', 'needle']);
  });

  it('marks no character twice when words overlap', () => {
    expect(marked('aaaa', ['aa', 'aaa'])).toEqual(['aaa']);
    expect(marked('diskfull', ['disk', 'kfull'])).toEqual(['disk']);
  });

  it('is one line', () => {
    expect(makeExcerpt('a\nb\tc\r\nd\u2028e', ['c']).text).toBe('a b c  d e');
  });

  it('marks nothing when nothing matches', () => {
    expect(makeExcerpt('text', ['other'])).toEqual({ text: 'text', marks: [] });
    expect(makeExcerpt('', ['other'])).toEqual({ text: '', marks: [] });
    expect(makeExcerpt('text', [])).toEqual({ text: 'text', marks: [] });
  });

  it('never halves a character', () => {
    for (let shift = 0; shift < 4; shift += 1) {
      const text = `${'a'.repeat(shift)}${'🌲'.repeat(200)}needle${'🌲'.repeat(200)}`;
      expect(makeExcerpt(text, ['needle']).text.isWellFormed()).toBe(true);
    }
  });

  it('has marks in order, inside the text and never empty, whatever the text and the words', () => {
    const word = fc.oneof(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 3 }),
      fc.constantFrom('a', 'é', 'İ', 'ß', '日', '\u0958', '🌲'),
    );
    const text = fc.array(word, { maxLength: 120 }).map((words) => words.join(''));
    fc.assert(
      fc.property(text, fc.array(word, { maxLength: 5 }), (given, terms) => {
        const excerpt = makeExcerpt(given, terms);
        let end = 0;
        for (const [from, to] of excerpt.marks) {
          expect(from).toBeGreaterThanOrEqual(end);
          expect(to).toBeGreaterThan(from);
          end = to;
        }
        expect(end).toBeLessThanOrEqual(excerpt.text.length);
      }),
      { numRuns: 500 },
    );
  });
});
