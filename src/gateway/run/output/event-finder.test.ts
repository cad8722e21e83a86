import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createEventFinder, type OutputPart } from './event-finder.ts';

/** The parts of a text that comes in pieces of these sizes, over and over. */
function partsOf(bytes: Buffer, sizes: readonly number[]): OutputPart[] {
  const finder = createEventFinder();
  const parts: OutputPart[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    // Parts may lie in the piece, which is only there until the next.
    const found = finder.parts(Buffer.from(bytes.subarray(at, at + size)));
    parts.push(...found.map(({ kind, bytes: part }) => ({ kind, bytes: Buffer.from(part) })));
    at += size;
  }
  return [...parts, { kind: 'output', bytes: finder.rest() }];
}

const line = fc.constantFrom(
  '{"coppice":"x"}',
  '{"a":"coppice"}',
  'plain "coppice"',
  '{',
  '',
  'text',
  '{"b":{"coppice":1}}',
);
const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 });

describe('createEventFinder', () => {
  it('loses and changes nothing, however the bytes are cut', () => {
    fc.assert(
      fc.property(fc.array(line), sizes, (lines, cuts) => {
        const bytes = Buffer.from(lines.join('\n'));
        expect(Buffer.concat(partsOf(bytes, cuts).map((part) => part.bytes))).toEqual(bytes);
      }),
    );
  });

  it('finds exactly the lines that begin with a brace and hold the key', () => {
    fc.assert(
      fc.property(fc.array(line), sizes, (lines, cuts) => {
        const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(''));
        const found = partsOf(bytes, cuts).filter(({ kind }) => kind === 'line');
        const expected = lines.filter((text) => text.startsWith('{') && text.includes('"coppice"'));
        expect(found.map((part) => part.bytes.toString())).toEqual(expected.map((text) => `${text}\n`));
      }),
    );
  });

  it('gives up a line that never ends, and finds the next', () => {
    const bytes = Buffer.from(`{${'x'.repeat(2_000_000)}"coppice"\n{"coppice":1}\n`);
    const parts = partsOf(bytes, [60_000]);
    expect(parts.filter(({ kind }) => kind === 'line').map((part) => part.bytes.toString())).toEqual([
      '{"coppice":1}\n',
    ]);
    expect(Buffer.concat(parts.map((part) => part.bytes)).equals(bytes)).toBe(true);
  });
});
