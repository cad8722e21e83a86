import { foldText, type SearchTerms } from './search-terms.ts';

/** How well a text fits: all that is wanted stands in it as words, or only as parts of words. */
export interface TextMatch {
  readonly match: 'words' | 'part';
  /** More is better: how often the words stand there, beside how long the text is. */
  readonly score: number;
}

/** Looks for the same in many texts. */
export function textMatcher({ wanted, unwanted }: SearchTerms): (text: string) => TextMatch | undefined {
  const terms = wanted.map(termOf);
  const others = unwanted.map(termOf);
  return (text) => {
    const folded = foldText(text);
    // Most texts lack a word, and this is the cheapest way to know.
    if (!terms.every(({ folded: term, longest }) => folded.includes(longest === '' ? term : longest))) return undefined;
    const words = wordsOf(folded);
    const counts = terms.map((term) => countWords(words, term));
    if (counts.every((count) => count > 0) && !others.some((term) => countWords(words, term) > 0))
      return { match: 'words', score: scoreOf(counts, text.length) };
    const isPart = terms.every((term) => folded.includes(term.folded));
    return isPart && !others.some((term) => folded.includes(term.folded)) ? { match: 'part', score: 0 } : undefined;
  };
}

interface Term {
  readonly folded: string;
  /** Its words with single blanks around them; empty where it has none. */
  readonly words: string;
  readonly longest: string;
}

function termOf(text: string): Term {
  const folded = foldText(text);
  const words = wordsOf(folded);
  const longest = words.split(' ').reduce((most, word) => (word.length > most.length ? word : most), '');
  return { folded, words: longest === '' ? '' : words, longest };
}

/** The words of a text with single blanks around them: what stands between them counts for nothing. */
function wordsOf(folded: string): string {
  return ` ${folded.replaceAll(/[^\p{L}\p{N}\p{M}\p{Co}]+/gu, ' ').trim()} `;
}

const MOST_COUNTED = 50;

function countWords(text: string, { words }: Term): number {
  if (words === '') return 0;
  let count = 0;
  for (let at = text.indexOf(words); at !== -1 && count < MOST_COUNTED; at = text.indexOf(words, at + words.length - 1))
    count += 1;
  return count;
}

/** As BM25 has it, with a thousand characters for a usual length. All texts that are compared have all words, so none is rarer. */
function scoreOf(counts: readonly number[], length: number): number {
  const norm = 1.2 * (0.25 + (0.75 * length) / 1000);
  return counts.reduce((sum, count) => sum + (count * 2.2) / (count + norm), 0);
}
