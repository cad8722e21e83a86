import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { beginWindow, closeWindow, extendWindow, type OutputRow } from './output-window.ts';

const ROW_BYTES = 8 * 1024;

/** Records pieces in windows of so many pieces each, as time would divide them. */
function record(pieces: readonly Buffer[], perWindow: number, maxHeadBytes: number): OutputRow[] {
  const rows: OutputRow[] = [];
  let window = beginWindow(maxHeadBytes);
  for (const [index, piece] of pieces.entries()) {
    extendWindow(window, piece);
    if ((index + 1) % perWindow !== 0) continue;
    const closed = closeWindow(window, false);
    rows.push(...closed.rows);
    window = beginWindow(maxHeadBytes);
    extendWindow(window, closed.carry);
  }
  return [...rows, ...closeWindow(window, true).rows];
}

const text = fc.string({ unit: 'grapheme' }).map((words) => `${words}\n東京`);
/** A text many times over, cut into pieces that need not respect its characters. */
const pieces = fc
  .tuple(text, fc.integer({ min: 1, max: 3000 }), fc.integer({ min: 1, max: 20_000 }))
  .map(([words, times, size]) => {
    const bytes = Buffer.from(words.repeat(times));
    return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
      bytes.subarray(index * size, (index + 1) * size),
    );
  });
const perWindow = fc.integer({ min: 1, max: 5 });
const maxHead = fc.integer({ min: 0, max: 40_000 });

describe('an output window', () => {
  it('records every byte or says that it was left out, in rows of bounded size and whole characters', () => {
    fc.assert(
      fc.property(pieces, perWindow, maxHead, (given, count, head) => {
        const rows = record(given, count, head);
        const bytes = rows.reduce((sum, row) => sum + row.bytes.length + row.omittedBytes, 0);
        expect(bytes).toBe(given.reduce((sum, piece) => sum + piece.length, 0));
        expect(rows.filter((row) => row.bytes.length > ROW_BYTES)).toEqual([]);
        expect(rows.filter((row) => row.bytes.toString().includes('\ufffd'))).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it('changes nothing where nothing has to be left out', () => {
    fc.assert(
      fc.property(pieces, perWindow, (given, count) => {
        const rows = record(given, count, Number.MAX_SAFE_INTEGER);
        expect(Buffer.concat(rows.map((row) => row.bytes)).equals(Buffer.concat(given))).toBe(true);
        expect(rows.every((row) => row.omittedBytes === 0)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it('keeps bytes that are no UTF-8', () => {
    const bytes = Buffer.alloc(30_000, 0x80);
    expect(Buffer.concat(record([bytes], 1, 32_768).map((row) => row.bytes)).equals(bytes)).toBe(true);
  });
});
