import { describe, expect, it } from 'vitest';
import { createCursorLine } from './cursor-line.ts';

const ESC = '\u001b';

/** What is shown before the next line, after these texts. */
function nextAfter(...shown: readonly string[]): string {
  const cursor = createCursorLine();
  shown.forEach(cursor.see);
  return cursor.next();
}

describe('the line after what an agent drew', () => {
  it('is the next one where the cursor is at the end of it', () => {
    expect(nextAfter()).toBe('');
    expect(nextAfter('all of it\r\n')).toBe('');
    expect(nextAfter('a question? ')).toBe('\r\n');
    expect(nextAfter(`part${ESC}[K`)).toBe('\r\n');
  });

  it('is below a picture in whose middle the cursor was left', () => {
    expect(nextAfter(`top\r\nmiddle\r\nbottom\r\n${ESC}[2A${ESC}[5G`)).toBe(`${ESC}[2B\r`);
    expect(nextAfter('top\r\nmiddle\r\nbottom', `${ESC}[A${ESC}[3G`)).toBe(`${ESC}[1B\r\n`);
  });

  it('is the next one after a picture that was drawn over itself to its end', () => {
    const picture = 'top\r\nmiddle\r\nbottom\r\n';
    expect(nextAfter(picture, `${ESC}[3A`, picture, `${ESC}[2K${ESC}[1A`.repeat(3), picture)).toBe('');
    expect(nextAfter(picture, `${ESC}[3A${ESC}[J`, 'over\r\n')).toBe('');
    expect(nextAfter(picture, `${ESC}[3F${ESC}[3E`)).toBe('');
  });

  it('is below the screen where nobody can tell what is below the cursor', () => {
    expect(nextAfter(`${ESC}[5;1Hhere\r\n`)).toMatch(/\[\d{4}B\r\n$/);
    expect(nextAfter(`${ESC}[H${ESC}[2J${ESC}[3Jcleared\r\n`)).toBe('');
  });

  it('is where the cursor was before it went elsewhere to come back', () => {
    expect(nextAfter(`done\r\n${ESC}7${ESC}[r${ESC}[1;1Hx${ESC}8`)).toBe('');
    expect(nextAfter(`done\r\n${ESC}[?1049h${ESC}[5;5Hdrawn${ESC}[?1049l`)).toBe('');
    expect(nextAfter(`half${ESC}[?1049;25h${ESC}[5;5Hdrawn`)).toBe('\r\n');
    expect(nextAfter(`${ESC}[5;5Hdrawn${ESC}c`)).toBe('');
  });
});
