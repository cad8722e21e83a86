import { statSync } from 'node:fs';
import { join } from 'node:path';
import { errorText } from '../../core/error-text.ts';
import type { Problem } from '../../core/problem.ts';
import type { ReadUsage, UsageBook } from '../../core/stores/usage-book.ts';
import { HEAD_BYTES, type TranscriptFile, type TranscriptFormat } from '../../core/sessions/transcript-format.ts';
import { type FoundEntry, walkTree } from '../../platform/files/walk-tree.ts';
import { readBeginning } from '../../platform/transcripts/read-beginning.ts';
import { createCallNotes } from './call-notes.ts';

export interface TranscriptPlace {
  readonly path: string;
  readonly format: TranscriptFormat;
}

export interface ReadOptions {
  readonly signal?: AbortSignal | undefined;
  /** Told how many files are read, and of how many. */
  readonly onProgress?: ((done: number, of: number) => void) | undefined;
}

/**
 * Books the calls of all transcripts of a home that are not as they were when they were read last, the oldest first: so what a fork repeats
 * is a call of the session that it came from. Files are only read. Says which could not be.
 */
export async function readTranscripts(
  book: UsageBook,
  { path: place, format }: TranscriptPlace,
  { signal, onProgress }: ReadOptions = {},
): Promise<readonly Problem[]> {
  const known = book.files(place);
  const { changed, gone } = lookFor(place, known);
  const batch = createBatch(book, place);
  for (const path of gone) await batch.add({ kind: 'gone', path });
  const problems: Problem[] = [];
  for (const [index, { path, stamp, sizeBytes, modifiedAt }] of changed.entries()) {
    signal?.throwIfAborted();
    onProgress?.(index, changed.length);
    try {
      const file = { path: join(place, path), sizeBytes, modifiedAt };
      for await (const read of callsIn(file, format, signal)) await batch.add(read);
      await batch.add({ kind: 'file', path, stamp });
    } catch (error) {
      if (signal?.aborted === true) throw error;
      problems.push(unreadable(join(place, path), error));
    }
  }
  await batch.end();
  return problems;
}

async function* callsIn(
  file: TranscriptFile,
  format: TranscriptFormat,
  signal: AbortSignal | undefined,
): AsyncGenerator<ReadUsage> {
  const beginning = () => readBeginning(file.path, HEAD_BYTES) ?? '';
  if (format.recognise({ path: file.path.replaceAll('\\', '/'), beginning }) !== 'transcript') return;
  const notes = createCallNotes(format.name, file.modifiedAt);
  for await (const { pieces } of format.read(file, signal)) yield* notes.take(pieces);
}

interface ChangedFile extends Pick<FoundEntry, 'path' | 'sizeBytes' | 'modifiedAt'> {
  readonly stamp: string;
}

const MAY_BE_TRANSCRIPT = /\.(?:jsonl|ndjson|json|db|jsonl\.zst)$/i;
/** What Coppice itself keeps beside the files of another agent. */
const OWN = '.coppice';

function lookFor(
  place: string,
  known: ReadonlyMap<string, string>,
): { readonly changed: readonly ChangedFile[]; readonly gone: readonly string[] } {
  const left = new Set(known.keys());
  const changed: ChangedFile[] = [];
  for (const entry of walkTree(place, { skips: (path) => path === OWN })) {
    // Of what cannot be looked at, nothing is known.
    if (entry.kind === 'unreadable') keepBelow(left, entry.path);
    if (entry.kind !== 'file' || !MAY_BE_TRANSCRIPT.test(entry.path)) continue;
    left.delete(entry.path);
    const stamp = stampOf(place, entry);
    if (known.get(entry.path) !== stamp) changed.push({ ...entry, stamp });
  }
  return { changed: changed.toSorted((a, b) => a.modifiedAt - b.modifiedAt), gone: [...left] };
}

function keepBelow(left: Set<string>, folder: string): void {
  for (const path of left) if (folder === '.' || path.startsWith(`${folder}/`)) left.delete(path);
}

/** With another size, time or number it is another file, or there is more in it. What a database was told last stands in its log. */
function stampOf(place: string, { path, sizeBytes, modifiedAt, inode }: FoundEntry): string {
  const stamp = `${sizeBytes} ${modifiedAt} ${inode}`;
  const log = path.endsWith('.db') ? statSync(join(place, `${path}-wal`), { throwIfNoEntry: false }) : undefined;
  return log === undefined || log.size === 0 ? stamp : `${stamp} ${log.size} ${log.mtimeMs}`;
}

/** So much is booked in one transaction. */
const BATCH_ROWS = 500;

interface Batch {
  add(read: ReadUsage): Promise<void>;
  end(): Promise<void>;
}

/** What is read is booked in the order in which it is read, so a file counts as read only after all of it is booked. */
function createBatch(book: UsageBook, place: string): Batch {
  let waiting: ReadUsage[] = [];
  let rows = 0;
  const end = async () => {
    if (waiting.length === 0) return;
    const reads = waiting;
    [waiting, rows] = [[], 0];
    await book.add(place, reads);
  };
  return {
    async add(read) {
      const more = read.kind === 'calls' ? read.calls.length + 1 : 1;
      if (rows + more > BATCH_ROWS) await end();
      waiting.push(read);
      rows += more;
    },
    end,
  };
}

function unreadable(path: string, error: unknown): Problem {
  return {
    kind: 'unreadable-transcript',
    subject: path,
    message: `${path} cannot be read, so what is new in it is not counted: ${errorText(error)}`,
  };
}
