import { foldText } from './search-terms.ts';
import type { SearchExcerpt } from '../stores/session-reader.ts';

/** About two lines of a terminal. */
const EXCERPT_LENGTH = 160;
const LEAD = 40;

/** Cuts the most telling stretch out of a text and marks where the terms stand in it. */
export function makeExcerpt(text: string, terms: readonly string[]): SearchExcerpt {
  const start = bestStart(text, terms);
  const end = Math.min(text.length, start + EXCERPT_LENGTH);
  const cut = wholeCharacters(text, start, end);
  const before = cut.from > 0 ? '…' : '';
  const after = cut.to < text.length ? '…' : '';
  const body = text.slice(cut.from, cut.to).replace(/\s/gu, ' ');
  return {
    text: before + body + after,
    marks: findMarks(body, terms).map(([from, to]) => [from + before.length, to + before.length] as const),
  };
}

/** A little before the place where most different terms stand close together. */
function bestStart(text: string, terms: readonly string[]): number {
  const places = terms.flatMap((term) => firstPlaces(text, term)).toSorted((a, b) => a.at - b.at);
  let best = { at: 0, count: 0 };
  for (const { at } of places) {
    const near = places.filter((other) => other.at >= at && other.at < at + EXCERPT_LENGTH - LEAD);
    const count = new Set(near.map(({ term }) => term)).size;
    if (count > best.count) best = { at, count };
  }
  return Math.max(0, best.at - LEAD);
}

const MAX_PLACES = 20;

function firstPlaces(text: string, term: string): { term: string; at: number }[] {
  return findMarks(text, [term], MAX_PLACES).map(([at]) => ({ term, at }));
}

/** Where terms stand in a text, in order, without overlaps. */
function findMarks(text: string, terms: readonly string[], limit = 100): [number, number][] {
  const { folded, origin } = foldWithOrigin(text);
  const marks: [number, number][] = [];
  for (const term of terms.map(foldText).filter(Boolean)) {
    let at = folded.indexOf(term);
    for (let found = 0; at !== -1 && found < limit; found += 1) {
      marks.push([origin(at), origin(at + term.length)]);
      at = folded.indexOf(term, at + term.length);
    }
  }
  return withoutOverlaps(marks.toSorted((a, b) => a[0] - b[0] || b[1] - a[1]));
}

/** Folded text together with the way back: which offset of the original a folded offset stands for. */
function foldWithOrigin(text: string): { folded: string; origin: (at: number) => number } {
  const folded = foldText(text);
  if (folded.length === text.length) return { folded, origin: (at) => at };
  const origins: number[] = [];
  let whole = '';
  let offset = 0;
  for (const character of text) {
    const piece = foldText(character);
    for (let index = 0; index < piece.length; index += 1) origins.push(offset);
    whole += piece;
    offset += character.length;
  }
  return { folded: whole, origin: (at) => origins[at] ?? text.length };
}

function withoutOverlaps(marks: readonly [number, number][]): [number, number][] {
  const kept: [number, number][] = [];
  for (const mark of marks) {
    if (mark[0] >= (kept.at(-1)?.[1] ?? 0)) kept.push(mark);
  }
  return kept;
}

/** Moves the ends of a cut so that no surrogate pair is halved. */
function wholeCharacters(text: string, from: number, to: number): { from: number; to: number } {
  const low = (at: number) => /^[\uDC00-\uDFFF]$/.test(text[at] ?? '');
  return { from: low(from) ? from + 1 : from, to: low(to) ? to - 1 : to };
}
