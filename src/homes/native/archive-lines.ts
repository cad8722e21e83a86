import { createHash } from 'node:crypto';
import type { ArchiveMember, ArchiveRow } from '../../core/session-archive.ts';
import { type ArchiveData, type ArchiveEntry, archiveData, archiveEntries } from './archive-entries.ts';

const HEADER = { format: 'coppice-archive', version: 1 };

/** One line after the first of what an archive holds of a session. */
export type ArchiveLine = ArchiveRow | ArchiveEntry | ArchiveData;

/** Everything of a session, line by line without their breaks: what it is, its rows as the store wrote them, then its files. */
export function* archiveLines(rows: Iterable<string>, directory: string): Generator<string | Buffer> {
  yield JSON.stringify(HEADER);
  yield* rows;
  for (const entry of archiveEntries(directory)) {
    yield JSON.stringify(entry);
    if (entry.kind === 'file') yield* archiveData(directory, entry);
  }
}

/** What a line holds; undefined for the first, which only says what the rest is. */
export function parseArchiveLine(line: Buffer): ArchiveLine | undefined {
  const value = JSON.parse(line.toString('utf8')) as ArchiveLine | typeof HEADER;
  return 'kind' in value ? value : undefined;
}

/** The files of a session's directory as their lines in an archive: two files are the same when these are. */
export function fileLines(directory: string): string[] {
  const files = [...archiveEntries(directory)].filter(({ kind }) => kind === 'file');
  return files.map((entry) => JSON.stringify(entry));
}

/** The lines of an archive in a stretch of whole ones, without their breaks. */
export function* linesIn(stretch: Buffer): Generator<Buffer> {
  for (let start = 0, end = 0; start < stretch.length; start = end + 1) {
    end = stretch.indexOf(LF, start);
    yield stretch.subarray(start, end);
  }
}

/** Those of them that describe files. */
export function fileLinesIn(stretch: Buffer): string[] {
  const lines: string[] = [];
  for (let at = stretch.indexOf(FILE_START); at !== -1; at = stretch.indexOf(FILE_START, at + 1)) {
    if (at === 0 || stretch[at - 1] === LF) lines.push(stretch.toString('utf8', at, stretch.indexOf(LF, at)));
  }
  return lines;
}

const FILE_START = '{"kind":"file"';

/** Counts and hashes plain bytes on their way. */
export function createMeter() {
  const hash = createHash('sha256');
  let plainBytes = 0;
  let lineCount = 0;
  return {
    pass: (block: Buffer): void => {
      hash.update(block);
      plainBytes += block.length;
      for (let at = block.indexOf(LF); at !== -1; at = block.indexOf(LF, at + 1)) lineCount += 1;
    },
    result: (): Pick<ArchiveMember, 'sha256' | 'plainBytes' | 'lineCount'> => ({
      sha256: hash.digest('hex'),
      plainBytes,
      lineCount,
    }),
  };
}

const LF = 0x0a;
