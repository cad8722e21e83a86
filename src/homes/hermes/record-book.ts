import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createRecordWriter, type RecordWriter } from './record-writer.ts';
import {
  appendToBlock,
  type BlockEntry,
  LOG_NAME,
  type RecordMark,
  ROWS_NAME,
  readBlock,
  readSpan,
  type TrashBlock,
} from './trash-block.ts';

/**
 * The rows that one run took out of a Hermes home, many sessions to a file, so that a few syncs do for all of them. A record
 * counts once the log of its block names it, and the log names it only when it is on the disk.
 */
export interface RecordBook {
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

/** The folder of an item's block in the trash of a run. */
export function blockPath(root: string, number: number): string {
  return join(root, String(Math.floor((number - 1) / BLOCK_ITEMS) + 1));
}

/** Opens the records in the trash of one run. Only whoever holds the lock of the home may. */
export function openRecordBook(root: string): RecordBook {
  const blocks = new Map<string, TrashBlock>();
  const at = (path: string) => {
    const block = blocks.get(path) ?? readBlock(path);
    blocks.set(path, block);
    return block;
  };
  const of = (number: number) => at(blockPath(root, number));
  const log = (path: string, entries: readonly BlockEntry[]) => appendToBlock(path, at(path), entries);
  const logEach = (numbers: readonly number[], entry: (number: number) => BlockEntry) => {
    for (const [path, some] of byBlock(root, numbers)) log(path, some.map(entry));
  };
  return {
    has: (number) => of(number).records.has(number),
    hasMark: (number, mark) => of(number).marks.get(number) === mark,
    lines: (number) => readSpan(blockPath(root, number), of(number).records.get(number)),
    prompt(number, hash) {
      const span = of(number).prompts.get(hash);
      return span && [...readSpan(blockPath(root, number), span)];
    },
    write: () => createRecordWriter({ pathOf: (number) => blockPath(root, number), blockAt: at, log }),
    mark: (numbers, mark) => logEach(numbers, (number) => ({ number, mark })),
    forget(numbers) {
      logEach(
        numbers.filter((number) => of(number).records.has(number)),
        (number) => ({ number, mark: 'gone' }),
      );
      for (const [path] of byBlock(root, numbers)) {
        if (at(path).records.size > 0) continue;
        for (const name of [ROWS_NAME, LOG_NAME]) rmSync(join(path, name), { force: true });
        blocks.delete(path);
      }
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
