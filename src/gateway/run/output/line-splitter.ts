import { createHeldBytes } from './held-bytes.ts';

const LF = 0x0a;

/** Longest line that is held in memory. */
export const MAX_LINE_BYTES = 1024 * 1024;

/** A line without its line break; `cut` when it was too long and the rest of it was passed over. */
export interface SplitLine {
  readonly bytes: Buffer;
  readonly cut: boolean;
}

export interface LineSplitter {
  /** The lines that end in this piece. They may lie in the piece itself, so they are gone when the piece is. */
  lines(piece: Buffer): Iterable<SplitLine>;
  /** What came after the last line break. */
  rest(): SplitLine | undefined;
}

/** Makes lines out of bytes that come in pieces of any size, in memory for one line. */
export function createLineSplitter(maxLineBytes = MAX_LINE_BYTES): LineSplitter {
  const held = createHeldBytes();
  let cut = false;

  const hold = (part: Buffer): void => {
    const kept = part.subarray(0, maxLineBytes - held.length);
    cut ||= kept.length < part.length;
    held.add(kept);
  };
  const finish = (): SplitLine => {
    const line = { bytes: held.take(), cut };
    cut = false;
    return line;
  };

  return {
    *lines(piece) {
      let start = 0;
      for (let end = piece.indexOf(LF); end !== -1; end = piece.indexOf(LF, start)) {
        const part = piece.subarray(start, end);
        start = end + 1;
        if (held.length > 0 || part.length > maxLineBytes) {
          hold(part);
          yield finish();
        } else {
          yield { bytes: part, cut: false };
        }
      }
      hold(piece.subarray(start));
    },
    rest: () => (held.length > 0 ? finish() : undefined),
  };
}
