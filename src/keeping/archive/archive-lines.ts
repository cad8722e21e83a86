import { createHash } from 'node:crypto';
import { Failure } from '../../core/failure.ts';
import type { ArchiveDocument, ArchiveMember } from '../../core/stores/session-archive.ts';
import type { DirectoryHandle } from '../../platform/files/directory-handle.ts';
import { type ArchiveData, type ArchiveEntry, archiveEntries, type EntryOptions } from './archive-entries.ts';
import { type ArchiveRow, documentOfRow } from './archive-version-1.ts';

const HEADER = { format: 'coppice-archive', version: 2 };

/** One line after the first of what an archive holds of a session. */
export type ArchiveLine = ArchiveDocument | ArchiveEntry | ArchiveData;

/** Some lines of an archive, without their breaks. They are good until the next ones are asked for. */
export type SomeLines = readonly (string | Buffer)[];

/** Everything of a session: what it is, its documents as the store wrote them, then the files of its directory, if it has one. */
export async function* archiveLines(
  documents: AsyncIterable<SomeLines> | Iterable<SomeLines>,
  openDirectory: () => DirectoryHandle | undefined,
  options: EntryOptions = {},
): AsyncGenerator<SomeLines> {
  yield [JSON.stringify(HEADER)];
  yield* documents;
  using directory = openDirectory();
  if (directory === undefined) return;
  for (const { entry, data } of archiveEntries(directory, options)) {
    yield [JSON.stringify(entry)];
    for (const line of data()) yield [line];
  }
}

/** What a line holds, in archives of any version; undefined for the first, which only says what the rest is. */
export function parseArchiveLine(line: Buffer): ArchiveLine | undefined {
  const value = JSON.parse(line.toString('utf8')) as ArchiveLine | ArchiveRow | typeof HEADER;
  if ('kind' in value) return 'row' in value ? documentOfRow(value) : value;
  if (value.version > HEADER.version)
    throw new Failure(
      'refused',
      `The archive is of version ${value.version}, and this program reads up to ${HEADER.version}.`,
      {
        hint: 'Install a newer version of Coppice, then try again.',
      },
    );
  return undefined;
}

export function isAboutFiles(line: ArchiveLine | undefined): line is ArchiveEntry | ArchiveData {
  return line?.kind === 'folder' || line?.kind === 'file' || line?.kind === 'data';
}

/** The files of a session's directory as their lines in an archive: two files are the same when these are. */
export function fileLines(directory: DirectoryHandle): string[] {
  const files = Array.from(archiveEntries(directory), ({ entry }) => entry).filter(({ kind }) => kind === 'file');
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
