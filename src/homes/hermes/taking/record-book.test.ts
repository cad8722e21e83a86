import {
  appendFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tempDir } from '../../../../test/support/temp-dir.ts';
import { blockPath, openRecordBook } from './record-book.ts';

/** The trash of a run that took nothing yet, in a home of its own. */
function newRoot(): string {
  return join(tempDir(), '.coppice', 'trash', 'run');
}

function openBook(root: string) {
  const book = openRecordBook(dirname(dirname(dirname(root))), root);
  onTestFinished(() => book[Symbol.dispose]());
  return book;
}

function write(root: string, records: Readonly<Record<number, readonly string[]>>): void {
  using writer = openBook(root).write();
  for (const [number, lines] of Object.entries(records)) {
    writer.begin(Number(number));
    writer.add(lines);
    writer.end();
  }
  writer.seal();
}

const linesOf = (root: string, number: number) => [...openBook(root).lines(number)];

describe('the records of a run', () => {
  it('come back as they were written, whichever block they are in', () => {
    const root = newRoot();
    const long = 'é'.repeat(400_000);
    write(root, { 1: ['a', long, 'b'], 500: ['c'], 501: ['d'] });
    expect(linesOf(root, 1)).toEqual(['a', long, 'b']);
    expect(linesOf(root, 500)).toEqual(['c']);
    expect(linesOf(root, 501)).toEqual(['d']);
    expect(openBook(root).has(2)).toBe(false);
  });

  it('do not count before they are sealed, and what a crash left is passed over', () => {
    const root = newRoot();
    write(root, { 1: ['whole'] });
    appendFileSync(join(blockPath(root, 1), 'rows.jsonl'), 'half a li');
    appendFileSync(join(blockPath(root, 1), 'log.jsonl'), '\n{"number":2,"fr');
    expect(openBook(root).has(2)).toBe(false);
    write(root, { 2: ['next'], 3: ['after'] });
    expect([1, 2, 3].map((number) => linesOf(root, number))).toEqual([['whole'], ['next'], ['after']]);
  });

  it('are the newest where one was written twice', () => {
    const root = newRoot();
    write(root, { 1: ['old'] });
    write(root, { 1: ['new'] });
    expect(linesOf(root, 1)).toEqual(['new']);
  });

  it('fail rather than end early when their file does', () => {
    const root = newRoot();
    write(root, { 1: ['one', 'two'] });
    truncateSync(join(blockPath(root, 1), 'rows.jsonl'), 4);
    expect(() => linesOf(root, 1)).toThrow(/ends too early/);
  });

  it('keep each prompt once in a block', () => {
    const root = newRoot();
    const asked: number[] = [];
    for (const number of [1, 2, 501]) {
      using writer = openBook(root).write();
      writer.prompt(number, 'hash', () => {
        asked.push(number);
        return ['You are Hermes'];
      });
      writer.seal();
    }
    expect(asked).toEqual([1, 501]);
    expect(openBook(root).prompt(2, 'hash')).toEqual(['You are Hermes']);
  });

  it('leave their files with the last of them, and marks stay until taken back', () => {
    const root = newRoot();
    write(root, { 1: ['a'], 2: ['b'] });
    const book = openBook(root);
    book.mark([1, 2], 'returning');
    book.mark([2], 'none');
    expect([1, 2].map((number) => openBook(root).hasMark(number, 'returning'))).toEqual([true, false]);
    book.forget([1]);
    expect(openBook(root).has(1)).toBe(false);
    expect(linesOf(root, 2)).toEqual(['b']);
    book.forget([2]);
    expect(existsSync(join(blockPath(root, 2), 'rows.jsonl'))).toBe(false);
  });
});

describe('the records of a run, where a link leads elsewhere', () => {
  const NAMES = ['log.jsonl', 'rows.jsonl'];

  function makeHome() {
    const outside = tempDir();
    for (const name of NAMES) writeFileSync(join(outside, name), 'not yours\n');
    const root = newRoot();
    write(root, { 1: ['ours'] });
    const swap = (path: string) => {
      renameSync(path, `${path}-moved`);
      symlinkSync(outside, path);
    };
    const canaries = () => readdirSync(outside).map((name) => [name, readFileSync(join(outside, name), 'utf8')]);
    return { root, outside, swap, canaries };
  }

  const UNTOUCHED = NAMES.map((name) => [name, 'not yours\n']);

  it('are forgotten in the folder that was looked into, whatever has its name by then', () => {
    const { root, swap, canaries } = makeHome();
    const book = openBook(root);
    expect(book.has(1)).toBe(true);
    swap(blockPath(root, 1));
    orRefused(() => book.forget([1]));
    expect(canaries()).toEqual(UNTOUCHED);
  });

  it('are neither written nor marked behind a link', () => {
    const { root, swap, canaries } = makeHome();
    swap(blockPath(root, 1));
    expect(() => write(root, { 2: ['more'] })).toThrow('is a link');
    expect(() => openBook(root).mark([1], 'taking')).toThrow('is a link');
    expect(canaries()).toEqual(UNTOUCHED);
  });

  it('make no folder behind a link', () => {
    const { root, swap, outside, canaries } = makeHome();
    swap(dirname(root));
    expect(() => write(root, { 2: ['more'] })).toThrow('is a link');
    expect(existsSync(join(outside, 'run'))).toBe(false);
    expect(canaries()).toEqual(UNTOUCHED);
  });

  it.each([
    ['a link to', symlinkSync],
    ['another name of', linkSync],
  ])('are not written into %s a file elsewhere', (_, link) => {
    const { root, outside, canaries } = makeHome();
    const path = join(blockPath(root, 501), 'rows.jsonl');
    mkdirSync(dirname(path));
    link(join(outside, 'rows.jsonl'), path);
    expect(() => write(root, { 501: ['more'] })).toThrow();
    rmSync(path);
    expect(canaries()).toEqual(UNTOUCHED);
  });
});

/** Where nothing leads through an open folder, such a change is refused instead. */
function orRefused(act: () => void): void {
  if (process.platform === 'linux') act();
  else expect(act).toThrow('is a link');
}
