import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Failure } from '../failure.ts';
import { foldText, matchesTerms, parseSearch } from './search-terms.ts';

describe('a search', () => {
  it.each<[string, string[], string[]]>([
    ['disk full', ['disk', 'full'], []],
    ['"disk full" now', ['disk full', 'now'], []],
    ['disk -full', ['disk'], ['full']],
    ['disk -"very full"', ['disk'], ['very full']],
    ['"not closed', ['not closed'], []],
    ['disk"full"', ['disk', 'full'], []],
    ['well-known', ['well-known'], []],
    ['- a', ['-', 'a'], []],
    ['  a \t b\n', ['a', 'b'], []],
    ['"" a " "', ['a'], []],
    ['NEAR(a AND b) OR c:d*', ['NEAR(a', 'AND', 'b)', 'OR', 'c:d*'], []],
    ['cafe\u0301', ['café'], []],
    ['日本 語', ['日本', '語'], []],
    ['a\0b', ['a', 'b'], []],
    ['a\ud800', ['a\ufffd'], []],
  ])('%j is taken apart as people mean it', (text, wanted, unwanted) => {
    expect(parseSearch(text)).toEqual({ wanted, unwanted });
  });

  it.each(['', ' ', '""', '-""', '-word', '"', '\0'])('%j is no search', (text) => {
    expect(attempt(text)?.code).toBe('usage');
  });

  it('has at most 32 words', () => {
    expect(parseSearch('w '.repeat(32)).wanted).toHaveLength(32);
    expect(attempt('w '.repeat(33))?.code).toBe('usage');
    expect(attempt(`w ${'-x '.repeat(32)}`)?.code).toBe('usage');
  });

  it('is refused as usage or has words, whatever is typed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const outcome = attempt(text);
        if (outcome !== undefined) expect(outcome.code).toBe('usage');
        else
          expect(
            parseSearch(text).wanted.every((term) => term !== '' && !term.includes('\0') && !term.includes('"')),
          ).toBe(true);
      }),
    );
  });
});

describe('folding', () => {
  it.each([
    ['Café', 'cafe'],
    ['CAFE\u0301', 'cafe'],
    ['ÅNGSTRÖM', 'angstrom'],
    ['Żółw', 'zołw'],
    ['ガギグ', 'ガギグ'],
    ['한국', '한국'],
    ['日本', '日本'],
    ['ПРИВЕТ', 'привет'],
  ])('makes %j into %j', (text, folded) => {
    expect(foldText(text)).toBe(folded);
  });

  it('changes nothing that is folded already', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(foldText(foldText(text))).toBe(foldText(text));
      }),
    );
  });
});

describe('matching', () => {
  it('wants everything that is wanted and nothing that is not', () => {
    const text = foldText('Le Café est FERMÉ');
    expect(matchesTerms(text, { wanted: ['cafe', 'ferm'], unwanted: ['ouvert'] })).toBe(true);
    expect(matchesTerms(text, { wanted: ['cafe', 'ouvert'], unwanted: [] })).toBe(false);
    expect(matchesTerms(text, { wanted: ['cafe'], unwanted: ['Fermé'] })).toBe(false);
  });
});

function attempt(text: string): Failure | undefined {
  try {
    parseSearch(text);
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}
