import type { EpochMs } from '../../core/time.ts';

/** A regular file of a home, as one look at it found it. */
export interface TreeFile {
  /** Relative to the home, with `/` between the names. */
  readonly path: string;
  readonly sizeBytes: number;
  /** What it takes on the disk. */
  readonly diskBytes: number;
  readonly modifiedAt: EpochMs;
  readonly linkCount: number;
  /** The number by which its file system knows it. */
  readonly inode?: number;
}

/** Everything in a home but Coppice's own records, from one walk that follows no link. */
export interface HomeTree {
  /** Its absolute path. */
  readonly home: string;
  /** By path, in the order of the walk. */
  readonly files: ReadonlyMap<string, TreeFile>;
  readonly folders: ReadonlySet<string>;
  /** Links, pipes and other things that are no files. They are shown, and never touched. */
  readonly odd: readonly string[];
  /** Folders and files that could not be looked at. Nothing that may be in them is known. */
  readonly unreadable: readonly string[];
}
