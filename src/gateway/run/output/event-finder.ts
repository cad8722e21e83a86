import { createHeldBytes } from './held-bytes.ts';
import { MAX_LINE_BYTES } from './line-splitter.ts';

const LF = 0x0a;
const BRACE = 0x7b;
const MARK = '"coppice"';

/** A part of an agent's output: a whole line that may be an event, or bytes that cannot be one. */
export interface OutputPart {
  readonly kind: 'line' | 'output';
  readonly bytes: Buffer;
}

export interface EventFinder {
  /** Parts in order, which together are all the bytes that came. They may lie in the piece itself. */
  parts(piece: Buffer): readonly OutputPart[];
  /** The beginning of a line that never ended. */
  rest(): Buffer;
}

/**
 * Finds the lines of an output that begin with `{` and hold `"coppice"`. Most output is neither looked at line by line nor
 * copied: one search for a rare word is what a flood costs.
 */
export function createEventFinder(): EventFinder {
  const held = createHeldBytes();
  /** True inside a line that has been given out as output. */
  let inPlainLine = false;

  /** The rest of the line that earlier pieces began, if it ends here. */
  function* continueLine(piece: Buffer, end: number): Generator<OutputPart> {
    const part = end === 0 ? piece : piece.subarray(0, end);
    if (inPlainLine || held.length + part.length > MAX_LINE_BYTES) {
      if (held.length > 0) yield { kind: 'output', bytes: held.take() };
      yield { kind: 'output', bytes: part };
      inPlainLine = end === 0;
      return;
    }
    held.add(part);
    if (end > 0) yield lineOrOutput(held.take());
  }

  function* beginLine(bytes: Buffer): Generator<OutputPart> {
    if (bytes.length === 0) return;
    inPlainLine = bytes[0] !== BRACE;
    if (inPlainLine) yield { kind: 'output', bytes };
    else held.add(bytes);
  }

  function* splitLines(piece: Buffer): Generator<OutputPart> {
    let start = 0;
    if (inPlainLine || held.length > 0) {
      start = piece.indexOf(LF) + 1;
      yield* continueLine(piece, start);
      if (start === 0) return;
    }
    const end = Math.max(start, piece.lastIndexOf(LF) + 1);
    yield* wholeLines(piece.subarray(start, end));
    yield* beginLine(piece.subarray(end));
  }

  /** True for most of all output: nothing in it is an event or begins one. */
  const plain = (piece: Buffer): boolean => {
    if (held.length > 0 || piece.includes(MARK)) return false;
    const end = piece.lastIndexOf(LF) + 1;
    if (end === 0 && inPlainLine) return true;
    if (piece[end] === BRACE) return false;
    inPlainLine = end < piece.length;
    return true;
  };

  return {
    parts: (piece) => (plain(piece) ? [{ kind: 'output', bytes: piece }] : [...splitLines(piece)]),
    rest: () => held.take(),
  };
}

/** Cuts out the lines that may be events. `lines` begins and ends with a line. */
function* wholeLines(lines: Buffer): Generator<OutputPart> {
  let done = 0;
  for (let hit = lines.indexOf(MARK), next: number; hit !== -1; hit = lines.indexOf(MARK, next)) {
    const start = lines.lastIndexOf(LF, hit) + 1;
    next = lines.indexOf(LF, hit) + 1;
    if (lines[start] !== BRACE) continue;
    if (start > done) yield { kind: 'output', bytes: lines.subarray(done, start) };
    yield { kind: 'line', bytes: lines.subarray(start, next) };
    done = next;
  }
  if (done < lines.length) yield { kind: 'output', bytes: lines.subarray(done) };
}

function lineOrOutput(bytes: Buffer): OutputPart {
  return { kind: bytes.includes(MARK) ? 'line' : 'output', bytes };
}
