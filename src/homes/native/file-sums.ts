import type { EpochMs } from '../../core/time.ts';
import type { NativeFile } from './native-files.ts';
import { DUMPS_NAME } from './native-layout.ts';

export type SizedFile = Exclude<NativeFile, { kind: 'unreadable' }>;

/** What one directory takes on the disk, in bytes, itself and its folders included. */
export interface FileSum {
  readonly transcript: number;
  readonly dumps: number;
  readonly other: number;
  /** What its files hold, which is less where blocks are not full, and the same as long as nobody writes to them. */
  readonly contentBytes: number;
  readonly newestAt: EpochMs;
  /** The first file in it that Coppice did not write. */
  readonly unknown: string | undefined;
}

const NO_FILES: FileSum = { transcript: 0, dumps: 0, other: 0, contentBytes: 0, newestAt: 0, unknown: undefined };

/** Where a directory's numbers are in its row. */
const AT = { newestAt: 0, transcript: 1, dumps: 2, other: 3, contentBytes: 4 } as const;
const ROW = 5;
/** In the place of `newestAt`: cheaper than to take the directory out of a large map. */
const TAKEN = -1;

/** Sums of files by session directory. The numbers are in one block, because there may be 100 000 directories. */
export function fileSums() {
  const rows = new Map<string, number>();
  const unknown = new Map<string, string>();
  let numbers = new Float64Array(1024 * ROW);
  let end = 0;
  const addRow = (directory: string) => {
    const row = end;
    end += ROW;
    if (end > numbers.length) numbers = doubled(numbers);
    rows.set(directory, row);
    return row;
  };
  // Sizes come out of the block as floating point numbers, each in a place of its own; whole ones need none.
  const numberAt = (at: number) => Math.trunc(numbers[at] ?? 0);
  return {
    add(file: SizedFile): void {
      const directory = directoryOf(file.path);
      const row = rows.get(directory) ?? addRow(directory);
      const at = row + AT[partOf(file)];
      numbers[at] = (numbers[at] ?? 0) + file.diskBytes;
      if (file.kind === 'folder') return;
      numbers[row] = Math.max(numbers[row] ?? 0, file.modifiedAt);
      if (!('sizeBytes' in file)) return;
      if (file.kind === 'unknown' && !unknown.has(directory)) unknown.set(directory, file.path);
      numbers[row + AT.contentBytes] = (numbers[row + AT.contentBytes] ?? 0) + file.sizeBytes;
    },
    /** The sum of a directory, which is then no longer among `directories`. */
    take(directory: string): FileSum {
      const row = rows.get(directory);
      if (row === undefined) return NO_FILES;
      const newestAt = numberAt(row);
      numbers[row] = TAKEN;
      return {
        transcript: numberAt(row + AT.transcript),
        dumps: numberAt(row + AT.dumps),
        other: numberAt(row + AT.other),
        contentBytes: numberAt(row + AT.contentBytes),
        newestAt,
        unknown: unknown.get(directory),
      };
    },
    *directories(): Generator<string> {
      for (const [directory, row] of rows) if (numbers[row] !== TAKEN) yield directory;
    },
  };
}

function partOf({ kind, path }: SizedFile): 'transcript' | 'dumps' | 'other' {
  if (kind === 'transcript') return 'transcript';
  return kind === 'dump' || (kind === 'folder' && path.endsWith(`/${DUMPS_NAME}`)) ? 'dumps' : 'other';
}

/** `<shard>/<name>`, or the path of what is not in such a directory. */
export function directoryOf(path: string): string {
  const end = path.indexOf('/', path.indexOf('/') + 1);
  return end === -1 ? path : path.slice(0, end);
}

function doubled(numbers: Float64Array): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(numbers.length * 2);
  larger.set(numbers);
  return larger;
}
