import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NOW } from '../../../test/support/clock.ts';
import { lineSeq, messageLine } from './transcript-lines.ts';

describe('a transcript line', () => {
  it('is one line whatever the message holds, and says its number', () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('\n', '\r\n', '\u2028', '"seq":9', '\ud800'));
    fc.assert(
      fc.property(fc.integer({ min: 1 }), text, (seq, content) => {
        const line = messageLine({ seq, at: NOW, role: 'user', content });
        expect(line.indexOf('\n')).toBe(line.length - 1);
        expect(lineSeq(line)).toBe(seq);
        expect(JSON.parse(line)).toEqual({ seq, at: '2026-01-15T12:00:00.000Z', role: 'user', content });
      }),
    );
  });

  it('has no number when it is torn or not ours', () => {
    for (const text of ['', '{', '{"seq":1', 'null', '7', '[]', '{}', '{"seq":"1"}', 'words']) {
      expect(lineSeq(text), text).toBeUndefined();
    }
  });

  it('is number 0 when it is the header', () => {
    expect(lineSeq('{"coppice":"transcript","version":1}')).toBe(0);
  });
});
