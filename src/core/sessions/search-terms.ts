import { Failure } from '../failure.ts';

/** What a person searches for, taken apart. */
export interface SearchTerms {
  /** Words and phrases that must all be there. */
  readonly wanted: readonly string[];
  /** Words and phrases that must not. */
  readonly unwanted: readonly string[];
}

const MAX_TERMS = 32;

/** Reads `words "exact phrases" -left-out` the way people type them. Nothing in it is an operator of the database. */
export function parseSearch(text: string): SearchTerms {
  const wanted: string[] = [];
  const unwanted: string[] = [];
  for (const [, minus, phrase, word] of clean(text).matchAll(/(-?)(?:"([^"]*)"?|([^\s"]+))/gu)) {
    const term = (phrase ?? word ?? '').trim();
    if (term === '') continue;
    (minus === '-' ? unwanted : wanted).push(term);
  }
  if (wanted.length === 0) {
    throw new Failure('usage', 'There is nothing to search for.', {
      hint: 'Give at least one word, for example: coppice sessions search "disk full"',
    });
  }
  if (wanted.length + unwanted.length > MAX_TERMS) {
    throw new Failure('usage', `A search takes at most ${MAX_TERMS} words and phrases.`, {
      hint: 'Search for the few words that are rarest.',
    });
  }
  return { wanted, unwanted };
}

/** How the search indexes see text: without case and accents. */
export function foldText(text: string): string {
  // Most text is ASCII, which has no accents. Only accents go: the marks of kana and Hangul make other letters.
  if (isAscii(text)) return text.toLowerCase();
  return text
    .normalize('NFD')
    .replace(/[\u0300-\u036f]+/g, '')
    .normalize('NFC')
    .toLowerCase();
}

/** True when folded text has all that is wanted and nothing that is not. */
export function matchesTerms(folded: string, terms: SearchTerms): boolean {
  return (
    terms.wanted.every((term) => folded.includes(foldText(term))) &&
    !terms.unwanted.some((term) => folded.includes(foldText(term)))
  );
}

function isAscii(text: string): boolean {
  return !/[^\p{ASCII}]/u.test(text);
}

function clean(text: string): string {
  return text.toWellFormed().normalize('NFC').replaceAll('\0', ' ');
}
