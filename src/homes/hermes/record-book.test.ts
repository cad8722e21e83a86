import { appendFileSync, existsSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { blockPath, openRecordBook } from './record-book.ts';

function write(root: string, records: Readonly<Record<number, readonly string[]>>): void {
  using writer = openRecordBook(root).write();
  for (const [number, lines] of Object.entries(records)) {
    writer.begin(Number(number));
    writer.add(lines);
    writer.end();
  }
  writer.seal();
}

const linesOf = (root: string, number: number) => [...openRecordBook(root).lines(number)];

describe('the records of a run', () => {
  it('come back as they were written, whichever block they are in', () => {
    const root = tempDir();
    const long = 'é'.repeat(400_000);
    write(root, { 1: ['a', long, 'b'], 500: ['c'], 501: ['d'] });
    expect(linesOf(root, 1)).toEqual(['a', long, 'b']);
    expect(linesOf(root, 500)).toEqual(['c']);
    expect(linesOf(root, 501)).toEqual(['d']);
    expect(openRecordBook(root).has(2)).toBe(false);
  });

  it('do not count before they are sealed, and what a crash left is passed over', () => {
    const root = tempDir();
    write(root, { 1: ['whole'] });
    appendFileSync(join(blockPath(root, 1), 'rows.jsonl'), 'half a li');
    appendFileSync(join(blockPath(root, 1), 'log.jsonl'), '\n{"number":2,"fr');
    expect(openRecordBook(root).has(2)).toBe(false);
    write(root, { 2: ['next'], 3: ['after'] });
    expect([1, 2, 3].map((number) => linesOf(root, number))).toEqual([['whole'], ['next'], ['after']]);
  });

  it('are the newest where one was written twice', () => {
    const root = tempDir();
    write(root, { 1: ['old'] });
    write(root, { 1: ['new'] });
    expect(linesOf(root, 1)).toEqual(['new']);
  });

  it('fail rather than end early when their file does', () => {
    const root = tempDir();
    write(root, { 1: ['one', 'two'] });
    truncateSync(join(blockPath(root, 1), 'rows.jsonl'), 4);
    expect(() => linesOf(root, 1)).toThrow(/ends too early/);
  });

  it('keep each prompt once in a block', () => {
    const root = tempDir();
    const asked: number[] = [];
    for (const number of [1, 2, 501]) {
      using writer = openRecordBook(root).write();
      writer.prompt(number, 'hash', () => {
        asked.push(number);
        return ['You are Hermes'];
      });
      writer.seal();
    }
    expect(asked).toEqual([1, 501]);
    expect(openRecordBook(root).prompt(2, 'hash')).toEqual(['You are Hermes']);
  });

  it('leave their files with the last of them, and marks stay until taken back', () => {
    const root = tempDir();
    write(root, { 1: ['a'], 2: ['b'] });
    const book = openRecordBook(root);
    book.mark([1, 2], 'returning');
    book.mark([2], 'none');
    expect([1, 2].map((number) => openRecordBook(root).hasMark(number, 'returning'))).toEqual([true, false]);
    book.forget([1]);
    expect(openRecordBook(root).has(1)).toBe(false);
    expect(linesOf(root, 2)).toEqual(['b']);
    book.forget([2]);
    expect(existsSync(join(blockPath(root, 2), 'rows.jsonl'))).toBe(false);
  });
});
