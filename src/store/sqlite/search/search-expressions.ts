import type { SearchTerms } from '../../../core/sessions/search-terms.ts';

/** The FTS5 expression for whole words, or undefined when a term has no letter or digit that the word index knows. */
export function wordsMatch({ wanted, unwanted }: SearchTerms): string | undefined {
  if (!wanted.every(hasWord)) return undefined;
  const all = wanted.map(quote).join(' AND ');
  const none = unwanted.filter(hasWord).map(quote);
  return none.length === 0 ? all : `(${all}) NOT (${none.join(' OR ')})`;
}

/** So many pieces of a long word are asked for: enough to be selective, few enough to be quick. */
const MAX_PIECES = 6;
/** So many continuations of a short word are asked for. */
const MAX_CONTINUATIONS = 500;

/**
 * The FTS5 expression for parts of words, in three-character pieces. It finds candidates; the caller compares the text.
 * Undefined when no term is selective enough: two Latin letters stand almost everywhere, two Chinese characters do not.
 */
export function partsMatch(
  { wanted }: SearchTerms,
  continuations: (prefix: string, limit: number) => readonly string[],
): string | undefined {
  const clauses: string[] = [];
  for (const term of wanted) {
    const characters = [...term];
    if (characters.length >= 3) clauses.push(...pieces(characters).map(quote));
    else if (!/^[\p{Script=Latin}\p{Script=Common}]*$/u.test(term)) {
      const terms = continuations(term.toLowerCase(), MAX_CONTINUATIONS);
      if (terms.length === 0) return undefined;
      clauses.push(`(${terms.map(quote).join(' OR ')})`);
    }
  }
  return clauses.length === 0 ? undefined : clauses.join(' AND ');
}

function pieces(characters: readonly string[]): string[] {
  const count = characters.length - 2;
  const step = Math.max(1, count / MAX_PIECES);
  const starts = Array.from({ length: Math.min(count, MAX_PIECES) }, (_, index) => Math.floor(index * step));
  return starts.map((start) => characters.slice(start, start + 3).join(''));
}

/** A string in FTS5's syntax: nothing in it has a meaning. */
function quote(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

function hasWord(term: string): boolean {
  return /[\p{L}\p{N}]/u.test(term);
}
