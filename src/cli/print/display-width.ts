/** How many columns a terminal gives to a text without control characters. */
export function displayWidth(text: string): number {
  if (PRINTABLE_ASCII.test(text)) return text.length;
  let width = 0;
  for (const grapheme of graphemes(text)) width += graphemeWidth(grapheme);
  return width;
}

/** Cuts a text to a width and marks the cut with an ellipsis. Never splits what a person sees as one character. */
export function truncate(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let kept = '';
  let left = width - 1;
  for (const grapheme of graphemes(text)) {
    left -= graphemeWidth(grapheme);
    if (left < 0) break;
    kept += grapheme;
  }
  return `${kept}…`;
}

const PRINTABLE_ASCII = /^[ -~]*$/;
const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
const PIECE_CHARS = 1000;

/** What a person sees as single characters. In pieces, because Intl.Segmenter takes quadratic time on long text. */
function* graphemes(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const end = start + PIECE_CHARS;
    const splitsPair = (text.codePointAt(end - 1) ?? 0) > 0xffff;
    const piece = text.slice(start, splitsPair ? end + 1 : end);
    const segments = Array.from(segmenter.segment(piece), ({ segment }) => segment);
    // The last one may go on in the next piece.
    if (start + piece.length < text.length && segments.length > 1) segments.pop();
    yield* segments;
    start += segments.reduce((length, segment) => length + segment.length, 0);
  }
}

const INVISIBLE = /^[\p{M}\p{Cf}\p{Default_Ignorable_Code_Point}]+$/u;
const EMOJI = /^\p{Emoji_Presentation}|\ufe0f/u;
// East Asian Wide and Fullwidth (Unicode 17) apart from emoji.
const WIDE =
  /^[\u1100-\u115f\u2329\u232a\u2630-\u2637\u268a-\u268f\u2e80-\u303e\u3041-\u3247\u3250-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6b\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18dff}\u{1aff0}-\u{1b2ff}\u{1d300}-\u{1d376}\u{1f200}-\u{1f265}\u{20000}-\u{3fffd}]/u;

function graphemeWidth(grapheme: string): number {
  if (PRINTABLE_ASCII.test(grapheme)) return grapheme.length;
  if (INVISIBLE.test(grapheme)) return 0;
  return EMOJI.test(grapheme) || WIDE.test(grapheme) ? 2 : 1;
}
