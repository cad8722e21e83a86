import { closeSync, readSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DirectoryHandle } from '../../../platform/files/directory-handle.ts';
import { appendToLog, readLog } from '../../../platform/files/json-log.ts';
import { openRegular } from '../../../platform/files/open-regular.ts';
import { syncDir } from '../../../platform/files/private-files.ts';

/** Messages are being taken a part at a time, or a session is being brought back. */
export type RecordMark = 'taking' | 'returning';

/** Where a record or a prompt stands in the file of its block. */
export interface Span {
  readonly from: number;
  readonly bytes: number;
}

/** A part of a run's trash: `rows.jsonl` has the records one after the other, `log.jsonl` says what counts of it. */
export interface TrashBlock {
  readonly records: Map<number, Span>;
  /** By their hashes. Many sessions share a few long prompts, so a block has each once. */
  readonly prompts: Map<string, Span>;
  readonly marks: Map<number, RecordMark>;
}

/** One line of the log. `gone` means that a record is not needed any more. */
export type BlockEntry =
  | ({ readonly number: number } & Span)
  | ({ readonly prompt: string } & Span)
  | { readonly number: number; readonly mark: RecordMark | 'none' | 'gone' };

export const ROWS_NAME = 'rows.jsonl';
export const LOG_NAME = 'log.jsonl';

/** What the log of a block says; an empty block where there is none. */
export function readBlock(folder: DirectoryHandle | undefined): TrashBlock {
  const block: TrashBlock = { records: new Map(), prompts: new Map(), marks: new Map() };
  if (folder === undefined) return block;
  // Only ever written by `appendToBlock`, so what is an object at all is an entry.
  for (const entry of readLog(folder.at(LOG_NAME))) note(block, entry as unknown as BlockEntry);
  return block;
}

/** Adds to the log of a block. Durable when it returns. */
export function appendToBlock(folder: DirectoryHandle, block: TrashBlock, entries: readonly BlockEntry[]): void {
  appendToLog(folder.at(LOG_NAME), entries);
  if (block.records.size === 0) {
    folder.sync();
    syncDir(dirname(folder.path));
  }
  for (const entry of entries) note(block, entry);
}

/** The lines in a span, however many there are. */
export function* readSpan(folder: DirectoryHandle | undefined, span: Span | undefined): Generator<string> {
  if (folder === undefined || span === undefined) return;
  const handle = openRegular(folder.at(ROWS_NAME));
  try {
    let begun: Buffer[] = [];
    for (let done = 0; done < span.bytes; ) {
      const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, span.bytes - done));
      const read = readSync(handle, piece, 0, piece.length, span.from + done);
      if (read === 0) throw new Error(`${join(folder.path, ROWS_NAME)} ends too early`);
      done += read;
      const end = piece.subarray(0, read).lastIndexOf(LF);
      if (end !== -1) {
        yield* Buffer.concat([...begun, piece.subarray(0, end)])
          .toString()
          .split('\n');
        begun = [];
      }
      begun.push(piece.subarray(end + 1, read));
    }
  } finally {
    closeSync(handle);
  }
}

const PIECE_BYTES = 256 * 1024;
const LF = 0x0a;

function note({ records, prompts, marks }: TrashBlock, entry: BlockEntry): void {
  if ('prompt' in entry) prompts.set(entry.prompt, entry);
  else if (!('mark' in entry)) records.set(entry.number, entry);
  else if (entry.mark === 'taking' || entry.mark === 'returning') marks.set(entry.number, entry.mark);
  else {
    marks.delete(entry.number);
    if (entry.mark === 'gone') records.delete(entry.number);
  }
}
