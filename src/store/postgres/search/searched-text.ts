import { foldText } from '../../../core/sessions/search-terms.ts';

/** Only so much of a message is searched, which bounds what indexing one costs. */
const SEARCHED_CHARACTERS = 100_000;
/** An entry of the index cannot be longer; nobody types a longer word. */
const LONGEST_WORD = 400;

/** What search sees of a text: its words in their order, short pieces of scripts that are written without spaces, and all of it folded. */
export interface SearchedText {
  readonly words: readonly string[];
  /** Absent where there are none, as in most languages. */
  readonly shorts: readonly string[] | null;
  readonly folded: string;
}

export function searchedText(text: string): SearchedText {
  const folded = foldText(beginningOf(text));
  return { words: wordsIn(folded), shorts: shortsIn(folded), folded };
}

/** The words of folded text: letters and digits of any script. */
export function wordsIn(folded: string): readonly string[] {
  return (folded.match(/[\p{L}\p{N}\p{Co}]+/gu) ?? []).map((word) => word.slice(0, LONGEST_WORD));
}

/** Nothing that is cut stands in the middle of a pair. */
export function beginningOf(text: string): string {
  if (text.length <= SEARCHED_CHARACTERS) return text;
  return Array.from(text.slice(0, 2 * SEARCHED_CHARACTERS))
    .slice(0, SEARCHED_CHARACTERS)
    .join('');
}

/** One or two characters say much only where a script has many. */
export function isTelling(piece: string): boolean {
  return !/^[\p{Script=Latin}\p{Script=Common}]*$/u.test(piece);
}

function shortsIn(folded: string): readonly string[] | null {
  if (!isTelling(folded)) return null;
  const characters = [...folded];
  const found = new Set<string>();
  for (let at = 0; at < characters.length; at += 1) {
    const one = characters[at] ?? '';
    const two = one + (characters[at + 1] ?? '');
    if (isTelling(one)) found.add(one);
    if (isTelling(two)) found.add(two);
  }
  return [...found];
}
