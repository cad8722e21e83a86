import { describe, expect, it } from 'vitest';
import { createScreenModes } from './screen-modes.ts';

/** What is shown after these texts, cut into pieces of so many bytes. */
function backAfter(shown: string, pieceBytes = Number.POSITIVE_INFINITY): string {
  const modes = createScreenModes();
  const bytes = Buffer.from(shown);
  const size = Math.min(pieceBytes, bytes.length);
  for (let at = 0; at < bytes.length; at += size) modes.see(bytes.subarray(at, at + size));
  return modes.back();
}

const ESC = '\u001b';
const FULL_SCREEN = `${ESC}[?1049h${ESC}[?25l${ESC}[?1000;1006h${ESC}[?2004h${ESC}[>1u${ESC}=`;

describe('the modes of a screen', () => {
  it('need nothing after an agent that changed none, or took all of them back', () => {
    expect(backAfter('')).toBe('');
    expect(backAfter(`${ESC}[31mred${ESC}[0m\r\n`)).toBe('');
    const over = `${ESC}[?1049l${ESC}[?25h${ESC}[?1000;1006l${ESC}[?2004l${ESC}[<u${ESC}>`;
    expect(backAfter(`${FULL_SCREEN}work\r\n${over}`)).toBe('');
  });

  it('are taken back after one that was killed, the other screen last', () => {
    const back = backAfter(`${FULL_SCREEN}half a li`);
    expect(back).toBe(`${ESC}[<1u${ESC}>${ESC}[?25h${ESC}[?1000l${ESC}[?1006l${ESC}[?2004l${ESC}[?1049l${ESC}[0m`);
  });

  it('are the same however the output is cut into pieces', () => {
    const whole = backAfter(`before${FULL_SCREEN}half a li`);
    for (let size = 1; size < 20; size += 1) expect(backAfter(`before${FULL_SCREEN}half a li`, size)).toBe(whole);
  });

  it('begin a line for what comes next where the agent ended inside one', () => {
    expect(backAfter('a question? ')).toBe('\r\n');
    expect(backAfter(`all of it\r\n${ESC}[?25l${ESC}[?25h${ESC}[0m`)).toBe('');
    expect(backAfter(`part${ESC}[K`)).toBe('\r\n');
  });

  it('forget everything at a full reset', () => {
    expect(backAfter(`${FULL_SCREEN}${ESC}c`)).toBe('');
  });
});
