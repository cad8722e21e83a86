import { closeSync, constants, fstatSync, fsyncSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../../core/failure.ts';
import type { DirectoryHandle } from '../../../platform/files/directory-handle.ts';
import { openRegular } from '../../../platform/files/open-regular.ts';
import { writeAll } from '../../../platform/files/write-all.ts';
import { type BlockEntry, ROWS_NAME, type TrashBlock } from './trash-block.ts';

/** Writes records into the files of their blocks. */
export interface RecordWriter extends Disposable {
  /** How much was written so far. */
  readonly sizeBytes: number;
  /** Begins the record of an item. One that is not ended never counts. */
  begin(number: number): void;
  add(lines: readonly string[]): void;
  end(): void;
  /** Keeps a prompt for an item, unless its block has it already. Between two records. */
  prompt(number: number, hash: string, lines: () => readonly string[]): void;
  /** Makes everything that was ended count, and survive a power cut. */
  seal(): void;
}

export interface WriterParts {
  readonly pathOf: (number: number) => string;
  readonly blockAt: (path: string) => TrashBlock;
  /** The open folder of a block, made where there is none. */
  readonly folderAt: (path: string) => DirectoryHandle;
  readonly log: (path: string, entries: readonly BlockEntry[]) => void;
}

export function createRecordWriter({ pathOf, blockAt, folderAt, log }: WriterParts): RecordWriter {
  const open = new Map<string, BlockFile>();
  const fileOf = (number: number) => {
    const path = pathOf(number);
    const file = open.get(path) ?? openFile(folderAt(path));
    open.set(path, file);
    return file;
  };
  let current: { readonly number: number; readonly file: BlockFile; readonly from: number } | undefined;
  let sizeBytes = 0;
  const write = (file: BlockFile, lines: readonly string[]) => {
    sizeBytes += append(file, `${lines.join('\n')}\n`);
  };
  return {
    get sizeBytes() {
      return sizeBytes;
    },
    begin(number) {
      const file = fileOf(number);
      current = { number, file, from: file.endBytes };
    },
    add(lines) {
      if (current !== undefined) write(current.file, lines);
    },
    end() {
      if (current === undefined) return;
      const { number, file, from } = current;
      file.entries.push({ number, from, bytes: file.endBytes - from });
      current = undefined;
    },
    prompt(number, hash, lines) {
      const file = fileOf(number);
      if (file.prompts.has(hash) || blockAt(pathOf(number)).prompts.has(hash)) return;
      const from = file.endBytes;
      write(file, lines());
      file.entries.push({ prompt: hash, from, bytes: file.endBytes - from });
      file.prompts.add(hash);
    },
    seal() {
      for (const [path, file] of open) {
        flush(file);
        fsyncSync(file.handle);
        log(path, file.entries);
        file.entries = [];
      }
    },
    [Symbol.dispose]() {
      for (const { handle } of open.values()) closeSync(handle);
      open.clear();
    },
  };
}

interface BlockFile {
  readonly handle: number;
  readonly prompts: Set<string>;
  /** Where the next line will stand, and where what was not written yet begins. */
  endBytes: number;
  writtenBytes: number;
  pending: Buffer[];
  entries: BlockEntry[];
}

/** What a crash left at the end of it is passed over: the log names no part of that. A file that has another name is somebody's. */
function openFile(folder: DirectoryHandle): BlockFile {
  const { O_RDWR, O_CREAT, O_NOFOLLOW } = constants;
  const handle = openRegular(folder.at(ROWS_NAME), O_RDWR | O_CREAT | O_NOFOLLOW);
  const { size, nlink } = fstatSync(handle);
  if (nlink > 1) {
    closeSync(handle);
    throw new Failure('refused', `${join(folder.path, ROWS_NAME)} has other names, so it is not only ours to write.`, {
      hint: 'It was left as it is.',
    });
  }
  return { handle, prompts: new Set(), endBytes: size, writtenBytes: size, pending: [], entries: [] };
}

function append(file: BlockFile, text: string): number {
  const bytes = Buffer.from(text);
  file.pending.push(bytes);
  file.endBytes += bytes.length;
  if (file.endBytes - file.writtenBytes > PENDING_BYTES) flush(file);
  return bytes.length;
}

const PENDING_BYTES = 1024 * 1024;

function flush(file: BlockFile): void {
  file.writtenBytes += writeAll(file.handle, Buffer.concat(file.pending), file.writtenBytes);
  file.pending = [];
}
