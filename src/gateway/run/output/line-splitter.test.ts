import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLineSplitter, type SplitLine } from './line-splitter.ts';

function linesOf(text: string, size: number, maxLineBytes: number): { text: string; cut: boolean }[] {
  const splitter = createLineSplitter(maxLineBytes);
  const bytes = Buffer.from(text);
  const shown = ({ bytes: line, cut }: SplitLine) => ({ text: line.toString(), cut });
  const lines: { text: string; cut: boolean }[] = [];
  for (let at = 0; at < bytes.length; at += size) {
    for (const line of splitter.lines(Buffer.from(bytes.subarray(at, at + size)))) lines.push(shown(line));
  }
  const rest = splitter.rest();
  return rest === undefined ? lines : [...lines, shown(rest)];
}

describe('createLineSplitter', () => {
  it('finds the same lines however the bytes are cut', () => {
    const line = fc.string({ unit: 'grapheme', maxLength: 20 }).map((text) => text.replaceAll('\n', ''));
    fc.assert(
      fc.property(fc.array(line, { minLength: 1 }), fc.integer({ min: 1, max: 50 }), (lines, size) => {
        const expected = lines.at(-1) === '' ? lines.slice(0, -1) : lines;
        expect(linesOf(lines.join('\n'), size, 10_000).map(({ text }) => text)).toEqual(expected);
      }),
    );
  });

  it.each([1, 3, 7, 100])('cuts a line that is too long and reads on after it, in pieces of %i', (size) => {
    expect(linesOf('12345\n123456789\nab\n', size, 5)).toEqual([
      { text: '12345', cut: false },
      { text: '12345', cut: true },
      { text: 'ab', cut: false },
    ]);
  });
});
