import { rmSync } from 'node:fs';
import { sep } from 'node:path';
import { type DirectoryHandle, openBelow } from '../../../platform/files/directory-handle.ts';
import { createRecordWriter, type RecordWriter } from './record-writer.ts';
import {
  appendToBlock,
  type BlockEntry,
  LOG_NAME,
  type RecordMark,
  ROWS_NAME,
  readBlock,
  readSpan,
  type Span,
  type TrashBlock,
} from './trash-block.ts';

/**
 * The rows that one run took out of a Hermes home, many sessions to a file, so that a few syncs do for all of them. A record
 * counts once the log of its block names it, and the log names it only when it is on the disk.
 */
export interface RecordBook extends Disposable {
  has(number: number): boolean;
  hasMark(number: number, mark: RecordMark): boolean;
  lines(number: number): Generator<string>;
  /** The prompt with this hash, if it is kept for an item and those around it. */
  prompt(number: number, hash: string): readonly string[] | undefined;
  /** Begins to write records, which are to be sealed before anything happens to their rows. */
  write(): RecordWriter;
  /** Notes what is about to happen to rows, so that whoever comes after a crash knows. Durable. */
  mark(numbers: readonly number[], mark: RecordMark | 'none'): void;
  /** Lets go of records. Their space is free once nothing in their block is needed. Durable. */
  forget(numbers: readonly number[]): void;
}

/** So many items of a run share a file. */
const BLOCK_ITEMS = 500;

/** The folder of an item's block in the trash of a run. Asked many times for every item, so nothing is made anew of `root`. */
export function blockPath(root: string, number: number): string {
  return `${root}${sep}${Math.floor((number - 1) / BLOCK_ITEMS) + 1}`;
}

/**
 * Opens the records in the trash of one run, which is `root`, below `home`. Only whoever holds the lock of the home may. The folder
 * of each block is opened once, through real folders alone.
 */
export function openRecordBook(home: string, root: string): RecordBook {
  const blocks = new Map<string, TrashBlock>();
  const folders = openFolders(home);
  const at = (path: string) => {
    const block = blocks.get(path) ?? readBlock(folders.find(path));
    blocks.set(path, block);
    return block;
  };
  const of = (number: number) => at(blockPath(root, number));
  const log = (path: string, entries: readonly BlockEntry[]) => {
    if (entries.length > 0) appendToBlock(folders.make(path), at(path), entries);
  };
  const read = (number: number, span: Span | undefined) => readSpan(folders.find(blockPath(root, number)), span);
  const logEach = (numbers: readonly number[], entry: (number: number) => BlockEntry) => {
    for (const [path, some] of byBlock(root, numbers)) log(path, some.map(entry));
  };
  return {
    has: (number) => of(number).records.has(number),
    hasMark: (number, mark) => of(number).marks.get(number) === mark,
    lines: (number) => read(number, of(number).records.get(number)),
    prompt(number, hash) {
      const span = of(number).prompts.get(hash);
      return span && [...read(number, span)];
    },
    write: () =>
      createRecordWriter({
        pathOf: (number) => blockPath(root, number),
        blockAt: at,
        folderAt: (path) => folders.make(path),
        log,
      }),
    mark: (numbers, mark) => logEach(numbers, (number) => ({ number, mark })),
    forget(numbers) {
      logEach(
        numbers.filter((number) => of(number).records.has(number)),
        (number) => ({ number, mark: 'gone' }),
      );
      for (const [path] of byBlock(root, numbers)) {
        if (at(path).records.size > 0) continue;
        const folder = folders.find(path);
        if (folder !== undefined) for (const name of [ROWS_NAME, LOG_NAME]) rmSync(folder.at(name), { force: true });
        folders.close(path);
        blocks.delete(path);
      }
    },
    [Symbol.dispose]: () => folders[Symbol.dispose](),
  };
}

interface BlockFolders extends Disposable {
  /** Undefined where there is none. */
  find(path: string): DirectoryHandle | undefined;
  make(path: string): DirectoryHandle;
  /** Others may take the folder away from here on. */
  close(path: string): void;
}

function openFolders(home: string): BlockFolders {
  const open = new Map<string, DirectoryHandle>();
  const keep = (path: string, folder: DirectoryHandle) => {
    open.set(path, folder);
    return folder;
  };
  return {
    find(path) {
      const folder = open.get(path) ?? openBelow(home, path);
      return folder && keep(path, folder);
    },
    make: (path) => open.get(path) ?? keep(path, openBelow(home, path, { create: true })),
    close(path) {
      open.get(path)?.[Symbol.dispose]();
      open.delete(path);
    },
    [Symbol.dispose]() {
      for (const folder of open.values()) folder[Symbol.dispose]();
      open.clear();
    },
  };
}

function byBlock(root: string, numbers: readonly number[]): ReadonlyMap<string, number[]> {
  const blocks = new Map<string, number[]>();
  for (const number of numbers) {
    const path = blockPath(root, number);
    const some = blocks.get(path) ?? [];
    blocks.set(path, some);
    some.push(number);
  }
  return blocks;
}
