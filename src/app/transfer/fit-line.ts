/** In characters, each of which takes at most four bytes of what a store accepts. */
const MAX_LINE = 1000;

/** A text of another program as a line that Coppice keeps: without control characters, and not longer than it may be. */
export function fitLine(value: string | undefined, max = MAX_LINE): string | undefined {
  const clean = value
    ?.toWellFormed()
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim();
  if (clean === undefined || clean === '') return undefined;
  return clean.length <= max ? clean : [...clean].slice(0, max).join('');
}
