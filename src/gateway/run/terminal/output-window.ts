import { createHeldBytes, type HeldBytes } from '../output/held-bytes.ts';
import { createLastBytes, type LastBytes } from '../output/last-bytes.ts';
import { brokenStart, completeLength, cutRows } from './cut-rows.ts';

/** Output of one stretch of time: its beginning, its end, and how many bytes there were after the beginning. */
export interface OutputWindow {
  readonly head: HeldBytes;
  readonly maxHeadBytes: number;
  readonly tail: LastBytes;
  afterHeadBytes: number;
}

/** A row of recorded output, and how many bytes were left out before it. */
export interface OutputRow {
  readonly bytes: Buffer;
  readonly omittedBytes: number;
}

const TAIL_BYTES = 8 * 1024;
const ROW_BYTES = 8 * 1024;

export function beginWindow(maxHeadBytes: number): OutputWindow {
  return { head: createHeldBytes(), maxHeadBytes, tail: createLastBytes(TAIL_BYTES), afterHeadBytes: 0 };
}

/** Copies what has to be kept of the next bytes. */
export function extendWindow(window: OutputWindow, bytes: Buffer): void {
  const room = window.maxHeadBytes - window.head.length;
  window.head.add(bytes.subarray(0, room));
  const after = bytes.subarray(room);
  if (after.length === 0) return;
  window.afterHeadBytes += after.length;
  window.tail.add(after);
}

/** The rows of a window. `carry` is the beginning of a character that belongs to the next one, unless this is the last. */
export function closeWindow(window: OutputWindow, last: boolean): ClosedWindow {
  const start = window.head.take();
  const tail = window.tail.get();
  const omitted = window.afterHeadBytes - tail.length;
  if (omitted === 0) {
    const { body, carry } = splitEnd(Buffer.concat([start, tail]), last);
    return { rows: toRows(body), carry };
  }
  const { body: first, carry: broken } = splitEnd(start, false);
  const skipped = brokenStart(tail);
  const { body: end, carry } = splitEnd(tail.subarray(skipped), last);
  return { rows: [...toRows(first), { bytes: end, omittedBytes: broken.length + omitted + skipped }], carry };
}

export interface ClosedWindow {
  readonly rows: readonly OutputRow[];
  readonly carry: Buffer;
}

function splitEnd(bytes: Buffer, last: boolean): { body: Buffer; carry: Buffer } {
  const end = last ? bytes.length : completeLength(bytes);
  return { body: bytes.subarray(0, end), carry: bytes.subarray(end) };
}

function toRows(bytes: Buffer): OutputRow[] {
  return [...cutRows(bytes, ROW_BYTES)].map((row) => ({ bytes: row, omittedBytes: 0 }));
}
