/**
 * Where the cursor stands in what an agent draws: agents that draw on the ordinary screen leave it in the middle of their last picture when
 * they are stopped, and the next line must not stand in there.
 */
export interface CursorLine {
  /** The next text that is shown, cut between sequences. */
  readonly see: (text: string) => void;
  /** What has to be shown so that the next line is a free one; '' where it is. */
  readonly next: () => string;
}

interface Cursor {
  /** How many lines that were drawn are below. */
  readonly below: number;
  /** The last character that was seen. */
  readonly end: string;
}

/** Somewhere on the screen: as far down as there is anything. */
const SOMEWHERE = 9999;
/** New lines; lines up and down; to a place; what is below is erased; the place is kept, or taken again; a reset; the other screen. */
const MOVES =
  // oxlint-disable-next-line no-control-regex -- sequences for terminals are what it looks for
  /\n|\x1b(?:\[(\d*)([ABEF])|(\[[\d;]*[Hfd])|\[([0-3]?)J|([78c])|\[\?(?:\d+;)*(?:47|1047|1049)(?:;\d+)*([hl]))/g;
// oxlint-disable-next-line no-control-regex -- what takes no place on the line
const UNSEEN = /\x1b(?:\[[\d;?<>=]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/]*[0-~])/g;
/** No more of a text than this is looked at for its end. */
const END_CHARACTERS = 4096;

export function createCursorLine(): CursorLine {
  let below = 0;
  let end = '\n';
  let kept: Cursor = { below, end };
  /** Where it was on the ordinary screen, while another is shown. */
  let ordinary: Cursor | undefined;

  const take = (cursor: Cursor): void => void ({ below, end } = cursor);
  const move = ([whole, lines, way, place, erased, single, other]: RegExpMatchArray): void => {
    if (whole === '\n') below = Math.max(0, below - 1);
    else if (way !== undefined) {
      const count = Math.max(1, Number(lines));
      below = way === 'A' || way === 'F' ? Math.min(SOMEWHERE, below + count) : Math.max(0, below - count);
    } else if (place !== undefined) below = SOMEWHERE;
    else if (erased !== undefined) below = erased === '1' ? below : 0;
    else if (single === 'c') take({ below: 0, end: '\n' });
    else if (single === '7') kept = { below, end };
    else if (single === '8') take(kept);
    else if (other === 'h') ordinary ??= { below, end };
    else if (ordinary !== undefined) {
      take(ordinary);
      ordinary = undefined;
    }
  };
  const seeEnd = (text: string): void => {
    const shown = text.slice(-END_CHARACTERS).replace(UNSEEN, '');
    if (shown !== '') end = shown.slice(-1);
  };
  return {
    see(text) {
      let from = 0;
      // Most output moves nothing but on.
      const moves = below > 0 || text.includes('\x1b') ? text.matchAll(MOVES) : [];
      for (const match of moves) {
        // These take the cursor to where something else was shown last.
        const isJump = match[5] !== undefined || match[6] !== undefined;
        if (isJump) seeEnd(text.slice(from, match.index));
        if (isJump) from = match.index + match[0].length;
        move(match);
      }
      seeEnd(text.slice(from));
    },
    next() {
      const cursor = ordinary ?? { below, end };
      if (cursor.below === 0) return cursor.end === '\n' ? '' : '\r\n';
      const isKnown = cursor.below < SOMEWHERE / 2;
      return `\x1b[${cursor.below}B\r${isKnown && cursor.end === '\n' ? '' : '\n'}`;
    },
  };
}
