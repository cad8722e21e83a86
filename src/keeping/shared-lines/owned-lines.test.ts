import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { promptLine } from '../../../test/support/claude-home.ts';
import {
  contentOf,
  copyLines,
  type LineKeys,
  type SharedLines,
  linesOf,
  withCopy,
  withoutCopy,
} from './owned-lines.ts';

/** What a line is to a session: the session and the time in a prompt, or something else that stands there. */
function linesFrom(text: string): SharedLines {
  return linesOf(Buffer.from(text));
}

function take(lines: SharedLines, id: string): { readonly left: SharedLines; readonly copy: string } {
  const copy = copyLines(lines, id, KEYS);
  return { left: copy === undefined ? lines : withoutCopy(lines, copy), copy: copy ?? '' };
}

const KEYS: LineKeys = { owner: 'sessionId', time: 'timestamp' };

describe('lines of a file that sessions share', () => {
  const text = [promptLine('a', 'one', 1e12), promptLine('b', 'two', 2e12), promptLine('a', 'three', 3e12)].join('');

  it('are those that name the session, and no others', () => {
    const { left, copy } = take(linesFrom(text), 'a');
    expect(contentOf(left).toString()).toBe(promptLine('b', 'two', 2e12));
    expect(JSON.parse(copy)).toMatchObject({ version: 1, lines: [{}, {}] });
    expect(copyLines(linesFrom(text), 'c', KEYS)).toBeUndefined();
    expect(copyLines(linesFrom(promptLine('b', 'I like a', 1)), 'a', KEYS)).toBeUndefined();
  });

  it('stay where they are no part of the copy', () => {
    const { copy } = take(linesFrom(text), 'a');
    const since = promptLine('a', 'four', 4e12);
    expect(contentOf(withoutCopy(linesFrom(text + since), copy)).toString()).toBe(promptLine('b', 'two', 2e12) + since);
  });

  it('go as often as they were copied, so that the same line said again since stays', () => {
    const line = promptLine('a', 'one', 1e12);
    const { copy } = take(linesFrom(line), 'a');
    expect(contentOf(withoutCopy(linesFrom(line + line), copy)).toString()).toBe(line);
  });

  it('come back once, however often they are put back', () => {
    const { left, copy } = take(linesFrom(text), 'a');
    const back = withCopy(left, copy, KEYS);
    expect(contentOf(back).toString()).toBe(text);
    expect(withCopy(back, copy, KEYS)).toEqual(back);
  });

  it('come back among lines that were written since, before what is later', () => {
    const { left, copy } = take(linesFrom(text), 'a');
    const later = promptLine('c', 'new', 4e12);
    expect(contentOf(withCopy([...left, later], copy, KEYS)).toString()).toBe(text + later);
  });

  it('come back into a history that is gone', () => {
    const { copy } = take(linesFrom(text), 'a');
    expect(contentOf(withCopy([], copy, KEYS)).toString()).toBe(
      promptLine('a', 'one', 1e12) + promptLine('a', 'three', 3e12),
    );
  });

  it('never part a line that somebody is still writing', () => {
    const torn = `${promptLine('b', 'two', 2e12)}{"display":"ha`;
    const { copy } = take(linesFrom(text), 'a');
    expect(contentOf(withCopy(linesFrom(torn), copy, KEYS)).toString()).toBe(`${text}{"display":"ha`);
  });

  it('end as they ended where they were the last, and with a line break where they are no more', () => {
    const open = text.slice(0, -1);
    const { left, copy } = take(linesFrom(open), 'a');
    expect(contentOf(withCopy(left, copy, KEYS)).toString()).toBe(open);
    const later = promptLine('c', 'new', 4e12);
    expect(contentOf(withCopy([...left, later], copy, KEYS)).toString()).toBe(text + later);
  });

  it('stay byte for byte what they were, valid or not', () => {
    const bytes = Buffer.concat([Buffer.from([0xff, 0x0a, 0x0d, 0x0a]), Buffer.from(`${text}\u00e9\u{1f600}\n`)]);
    const own = Buffer.concat([
      bytes,
      Buffer.from(promptLine('a', 'X', 4e12).replace('X', '\u00ff')),
      Buffer.from([0xfe]),
    ]);
    const invalid = Buffer.from(own.toString('latin1').replace('three', 'thr\u00e9\u00ff'), 'latin1');
    const { left, copy } = take(linesOf(invalid), 'a');
    expect(contentOf(withCopy(left, copy, KEYS)).equals(invalid)).toBe(true);
  });

  it('of several sessions come back exactly, in whatever order they were taken and are put back', () => {
    const ids = ['a', 'b', 'c', 'd'];
    const line = fc.record({ id: fc.constantFrom(...ids, 'stays'), gap: fc.integer({ min: 1, max: 5 }) });
    const order = fc.shuffledSubarray(ids, { minLength: ids.length });
    fc.assert(
      fc.property(fc.array(line, { maxLength: 40 }), order, order, (given, taking, returning) => {
        let at = 1e12;
        const all = given.map(({ id, gap }, n) => promptLine(id, `prompt ${n}`, (at += gap)));
        let lines: SharedLines = all;
        const copies = new Map<string, string>();
        for (const id of taking) {
          const { left, copy } = take(lines, id);
          lines = left;
          if (copy !== '') copies.set(id, copy);
        }
        for (const id of returning) lines = withCopy(lines, copies.get(id) ?? '{"lines":[]}', KEYS);
        expect(lines).toEqual(all);
      }),
    );
  });

  it('come back exactly where a clock was set back, as long as what stood beside them is there', () => {
    const all = [5, 4, 9, 1, 3, 8].map((at, n) => promptLine(n % 2 === 0 ? 'a' : 'b', `p${n}`, at * 1e11));
    const { left, copy } = take(all, 'a');
    expect(withCopy(left, copy, KEYS)).toEqual(all);
  });
});
