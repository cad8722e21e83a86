import type { EpochMs } from '../../core/time.ts';
import type { NativeFile } from './native-files.ts';

export type SizedFile = Exclude<NativeFile, { kind: 'unreadable' }>;

/** What the files of one directory come to, in bytes. */
export interface FileSum {
  readonly transcript: number;
  readonly dumps: number;
  readonly other: number;
  readonly newestAt: EpochMs;
  /** The first file in it that Coppice did not write. */
  readonly unknown: string | undefined;
}

const NO_FILES: FileSum = { transcript: 0, dumps: 0, other: 0, newestAt: 0, unknown: undefined };

/** Where a directory's numbers are in its row. */
const AT = { newestAt: 0, transcript: 1, dumps: 2, other: 3 } as const;
const ROW = 4;
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
      const directory = directoryOf(file);
      const row = rows.get(directory) ?? addRow(directory);
      numbers[row] = Math.max(numbers[row] ?? 0, file.modifiedAt);
      if (file.kind === 'session-dir') return;
      if (file.kind === 'unknown' && !unknown.has(directory)) unknown.set(directory, file.path);
      const at = row + AT[file.kind === 'transcript' ? 'transcript' : file.kind === 'dump' ? 'dumps' : 'other'];
      numbers[at] = (numbers[at] ?? 0) + file.sizeBytes;
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
        newestAt,
        unknown: unknown.get(directory),
      };
    },
    *directories(): Generator<string> {
      for (const [directory, row] of rows) if (numbers[row] !== TAKEN) yield directory;
    },
  };
}

/** `<shard>/<name>`, or the path of what is not in such a directory. */
function directoryOf({ kind, path }: SizedFile): string {
  if (kind === 'session-dir') return path;
  const end = path.indexOf('/', path.indexOf('/') + 1);
  return end === -1 ? path : path.slice(0, end);
}

function doubled(numbers: Float64Array): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(numbers.length * 2);
  larger.set(numbers);
  return larger;
}
