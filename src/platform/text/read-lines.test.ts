import { readdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { type Line, type ReadLinesOptions, readLines } from './read-lines.ts';

let dir: string;
let file: string;
beforeEach(() => {
  dir = tempDir();
  file = join(dir, 'file');
});
const CHUNK = 256 * 1024;

describe('readLines', () => {
  it('reads lines with their numbers and offsets', async () => {
    expect(await linesOf('é\n\nlast\n')).toEqual([
      { number: 1, text: 'é', endOffset: 3, complete: true },
      { number: 2, text: '', endOffset: 4, complete: true },
      { number: 3, text: 'last', endOffset: 9, complete: true },
    ]);
  });

  it('says when the last line has no line break', async () => {
    expect(await linesOf('one\ntorn')).toEqual([
      { number: 1, text: 'one', endOffset: 4, complete: true },
      { number: 2, text: 'torn', endOffset: 8, complete: false },
    ]);
  });

  it('finds no line in an empty file', async () => {
    expect(await linesOf('')).toEqual([]);
  });

  it('takes a carriage return away before a line feed and nowhere else', async () => {
    expect(texts(await linesOf('a\r\nb\rc\n\r\r\nd\r'))).toEqual(['a', 'b\rc', '\r', 'd\r']);
  });

  it('drops a byte order mark at the start of the file and nowhere else', async () => {
    const lines = await linesOf('\uFEFFa\n\uFEFFb\n');
    expect(texts(lines)).toEqual(['a', '\uFEFFb']);
    expect(lines.at(0)?.endOffset).toBe(5);
  });

  it('splits only at line feeds, not at other characters that look like line breaks', async () => {
    expect(texts(await linesOf('a\u2028b\u0085c\fd\n'))).toEqual(['a\u2028b\u0085c\fd']);
  });

  it.each([-2, -1, 0, 1])('joins characters and line breaks that lie across two reads (%i)', async (shift) => {
    const start = 'a'.repeat(CHUNK + shift);
    expect(texts(await linesOf(`${start}👋\r\nnext`)).map(digest)).toEqual([digest(`${start}👋`), digest('next')]);
    expect(texts(await linesOf(`${start}\r\nnext`)).map(digest)).toEqual([digest(start), digest('next')]);
  });

  it('reads back whatever was joined, wherever the reads fall', async () => {
    const piece = fc.oneof(
      fc.string({ unit: fc.constantFrom('a', 'é', '👋', '\r', ' '), maxLength: 5 }),
      fc.integer({ min: CHUNK - 3, max: CHUNK + 3 }).map((length) => 'x'.repeat(length)),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(piece, fc.constantFrom('\n', '\r\n'))), piece, async (broken, rest) => {
        const lines = await linesOf(broken.flat().join('') + rest);
        // A carriage return at the end of the text of a line belongs to its line break.
        const expected = broken.map(([text, end]) => (end === '\n' ? text.replace(/\r$/, '') : text));
        expect(texts(lines).map(digest)).toEqual([...expected, ...(rest === '' ? [] : [rest])].map(digest));
        expect(lines.map(({ number }) => number)).toEqual(lines.map((_, index) => index + 1));
        expect(lines.at(-1)?.endOffset ?? 0).toBe(Buffer.byteLength(broken.flat().join('') + rest));
      }),
      { numRuns: 60 },
    );
  });

  it('passes over a line that is too long, and goes on', async () => {
    expect(await linesOf('12345\n123456\n\n1234567', { maxLineBytes: 5 })).toEqual([
      { number: 1, text: '12345', endOffset: 6, complete: true },
      { number: 2, tooLong: true, lengthBytes: 6, endOffset: 13 },
      { number: 3, text: '', endOffset: 14, complete: true },
      { number: 4, tooLong: true, lengthBytes: 7, endOffset: 21 },
    ]);
  });

  it('does not hold a line that is too long in memory', async () => {
    writeFileSync(file, '');
    const sizeBytes = 512 * 1024 ** 2;
    truncateSync(file, sizeBytes);
    const peakKiB = process.resourceUsage().maxRSS;
    const lines = await collect({ maxLineBytes: 1024 ** 2 });
    expect(lines).toEqual([{ number: 1, tooLong: true, lengthBytes: sizeBytes, endOffset: sizeBytes }]);
    expect((process.resourceUsage().maxRSS - peakKiB) * 1024).toBeLessThan(sizeBytes / 4);
  });

  it('stops with the reason of its signal', async () => {
    writeFileSync(file, `${'x'.repeat(1000)}\n`.repeat(1000));
    const controller = new AbortController();
    const reason = new Error('enough');
    let seen = 0;
    const reading = async () => {
      for await (const line of readLines(file, { signal: controller.signal })) {
        seen = line.number;
        controller.abort(reason);
      }
    };
    await expect(reading()).rejects.toBe(reason);
    expect(seen).toBeLessThan(1000);
  });

  it.runIf(process.platform === 'linux')('closes the file when the reader stops early', async () => {
    writeFileSync(file, 'a\nb\n');
    const openBefore = readdirSync('/proc/self/fd').length;
    for await (const line of readLines(file)) if (line.number === 1) break;
    expect(readdirSync('/proc/self/fd').length).toBe(openBefore);
  });

  it('fails on a file that does not exist', async () => {
    await expect(collect()).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

async function linesOf(content: string, options?: ReadLinesOptions): Promise<Line[]> {
  writeFileSync(file, content);
  return collect(options);
}

async function collect(options?: ReadLinesOptions): Promise<Line[]> {
  const lines: Line[] = [];
  for await (const line of readLines(file, options)) lines.push(line);
  return lines;
}

function texts(lines: readonly Line[]): string[] {
  return lines.map((line) => (line.tooLong ? 'too long' : line.text));
}

/** Keeps the report of a failure readable. */
function digest(text: string): string {
  return text.length < 100 ? text : `${text.length} characters ending in ${JSON.stringify(text.slice(-5))}`;
}
