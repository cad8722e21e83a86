import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { foldText, type SearchTerms } from '../../../core/sessions/search-terms.ts';

/** A message as a block holds it: what is searched of it, cut as it is for Coppice's own sessions. */
export type BlockMessage = readonly [role: string, at: number, text: string];

/** A block has about so many characters: fewer make the index larger, more make every look into one slower. */
export const BLOCK_CHARACTERS = 64 * 1024;
/** Only so much of a message is searched. */
export const MOST_CHARACTERS = 100_000;

export function packBlock(messages: readonly BlockMessage[]): Buffer {
  const text = JSON.stringify(messages);
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: 5,
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    [constants.BROTLI_PARAM_SIZE_HINT]: text.length,
  };
  return brotliCompressSync(text, { params });
}

export function unpackBlock(body: Buffer): readonly BlockMessage[] {
  return JSON.parse(brotliDecompressSync(body).toString('utf8')) as readonly BlockMessage[];
}

/** Stands before words that are too short for a piece. Nobody types it. */
const SHORT = '\uE000';
const FILL = '\uE001';
const PLACE = '\uE002';
/** Where the numbers of places begin, as characters. */
const NUMBERS = 0xe100;
const RADIX = 256;

/** All that a block is found by. It has to be the same when the block is taken out again. */
export function indexedText(messages: readonly BlockMessage[], place: number): string {
  const short = new Set<string>();
  let text = placePiece(place);
  for (const [, , said] of messages) {
    // The two blanks let the last characters begin a piece.
    text += `${said}  `;
    for (const [word] of foldText(said).matchAll(SHORT_WORD)) short.add(word);
  }
  for (const word of short) text += shortPiece(word);
  return text;
}

const SHORT_WORD = /(?<![\p{L}\p{N}])[\p{L}\p{N}]{1,2}(?![\p{L}\p{N}])/gu;
const WORD = /[\p{L}\p{N}]+/gu;
/** In scripts written without spaces one or two characters say something. */
const LETTERS_SAY_LITTLE = /^[\p{Script=Latin}\p{Script=Common}]*$/u;

/** So many pieces of a long word are asked for: enough to be selective, few enough to be quick. */
const MOST_PIECES = 6;
const MOST_CONTINUATIONS = 500;

/**
 * The expression for blocks that may have all that is wanted. Punctuation between words counts for nothing, as it does for whole words.
 * `continuations` finds the pieces that begin with some characters.
 */
export function blocksMatch(
  { wanted }: SearchTerms,
  place: number,
  continuations: (start: string, limit: number) => readonly string[],
): string | undefined {
  const clauses: string[] = [];
  const short: string[] = [];
  for (const term of wanted) {
    const words = [...term.matchAll(WORD)].map(([word]) => word);
    const long = words.filter((word) => lengthOf(word) >= 3);
    clauses.push(...long.flatMap(piecesOf));
    if (long.length > 0) continue;
    const little = words.filter((word) => !LETTERS_SAY_LITTLE.test(word));
    for (const word of little) {
      const pieces = continuations(word.toLowerCase(), MOST_CONTINUATIONS);
      if (pieces.length === 0) return undefined;
      clauses.push(`(${pieces.map(quote).join(' OR ')})`);
    }
    if (words.length === 0 && lengthOf(term) >= 3) clauses.push(...piecesOf(term));
    else if (little.length === 0) short.push(...words);
  }
  // Beside longer words, short ones may be parts of words too; alone they are looked for as words.
  if (clauses.length === 0) clauses.push(...short.map((word) => quote(shortPiece(foldText(word)))));
  return clauses.length === 0 ? undefined : [quote(placePiece(place)), ...new Set(clauses)].join(' AND ');
}

function piecesOf(word: string): string[] {
  const characters = [...word];
  const count = characters.length - 2;
  const step = Math.max(1, count / MOST_PIECES);
  return Array.from({ length: Math.min(count, MOST_PIECES) }, (_, index) => {
    const at = Math.floor(index * step);
    return quote(characters.slice(at, at + 3).join(''));
  });
}

function shortPiece(word: string): string {
  return SHORT + word + FILL.repeat(2 - lengthOf(word));
}

function placePiece(place: number): string {
  return PLACE + String.fromCharCode(NUMBERS + Math.floor(place / RADIX), NUMBERS + (place % RADIX));
}

function lengthOf(word: string): number {
  return [...word].length;
}

/** A string in FTS5's syntax: nothing in it has a meaning. */
function quote(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
