import { DAY_MS, type EpochMs } from '../time.ts';

/** A working directory that the checkpoint store knows. */
export interface CheckpointProject {
  readonly id: string;
  /** Its real path, links resolved. */
  readonly workdir: string;
  readonly createdAt: EpochMs;
  readonly lastTakenAt: EpochMs;
  readonly place: WorkdirPlace;
}

/**
 * Where a working directory is. `gone` needs positive evidence: the directory above is the very one that was seen when a
 * checkpoint was taken, and holds other things. Whatever else is missing is `unreachable`, such as an unplugged volume.
 */
export type WorkdirPlace = 'present' | 'gone' | 'unreachable';

/** So much more than their limit may checkpoints take for a while: until the pass after a take is done, or a lock is free. */
export const CHECKPOINT_SLACK = 0.25;

/** So long after the first look that shows a folder missing, a second one is believed where nobody watches. */
export const SECOND_LOOK_MS = DAY_MS;

/** One saved state of a project. */
export interface Checkpoint {
  /** The full name of its commit. It never changes. */
  readonly id: string;
  readonly projectId: string;
  readonly workdir: string;
  readonly takenAt: EpochMs;
  readonly reason: string;
  /** `safety` is taken by a restore, before it changes anything. */
  readonly kind: 'taken' | 'safety';
  readonly sessionId?: string;
  readonly turn?: number;
  /** The newest message of the session at that moment: where the conversation goes back to. */
  readonly seq?: number;
  readonly fileCount: number;
  /** How many files were left out because they are too large or cannot be read. */
  readonly leftOutCount: number;
  /** The name of its tree: two checkpoints with the same tree hold the same files. */
  readonly tree: string;
  readonly pinned: boolean;
}

/** Whether a folder is another one or below it. */
export function isAtOrBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

/** As much of the id of a checkpoint as people are shown. */
export function shortId(id: string): string {
  return id.slice(0, 12);
}

export interface TakeRequest {
  readonly workdir: string;
  readonly reason?: string;
  readonly sessionId?: string;
  readonly turn?: number;
  readonly seq?: number;
  /** Nobody asked for this one: it is taken only if the configuration says so. */
  readonly automatic?: boolean;
}

export interface TakeOptions {
  readonly signal?: AbortSignal | undefined;
  /** Told from time to time how many of the files that changed are saved. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

/** What became of a request for a checkpoint. A refusal is an answer, not an error: agents go on without one. */
export type TakeResult =
  | { readonly status: 'taken'; readonly checkpoint: Checkpoint; readonly leftOut: readonly LeftOutFile[] }
  /** Nothing changed since this one. */
  | { readonly status: 'unchanged'; readonly checkpoint: Checkpoint; readonly leftOut: readonly LeftOutFile[] }
  | { readonly status: 'refused'; readonly message: string; readonly hint: string };

/** A file that was not saved. Its name may hold bytes that are no text; those show as replacement characters. */
export interface LeftOutFile {
  readonly path: string;
  readonly why: 'too-large' | 'unreadable' | 'changing';
}

/** What two states differ in, path by path, relative to the working directory. */
export interface FileChange {
  readonly path: Buffer;
  readonly kind: 'added' | 'removed' | 'changed';
}

/** A change with its extent; binary files have no lines. */
export type FileDiff = FileChange &
  ({ readonly binary: true } | { readonly binary: false; readonly addedLines: number; readonly removedLines: number });

/** What became of one path when files went back to an earlier state. */
export type RestoredFile = FileChange &
  (
    | { readonly status: 'done' }
    /** Left as it is, with the sentence that says why. */
    | { readonly status: 'skipped'; readonly detail: string }
  );

/** A restore, as its run remembers it: enough to undo it. */
export interface CheckpointRestoreRequest {
  readonly kind: 'restore-checkpoint';
  readonly projectId: string;
  readonly workdir: string;
  /** What the files went back to. */
  readonly checkpointId: string;
  /** What they were before. */
  readonly safetyId: string;
  /** Only these, relative to the working directory; all when absent. Names are bytes, one character each. */
  readonly paths?: readonly string[];
}

export interface DropCandidate {
  readonly id: string;
  readonly projectId: string;
  readonly takenAt: EpochMs;
  readonly pinned: boolean;
  readonly needed: boolean;
  readonly place: WorkdirPlace;
}

/**
 * The order in which checkpoints are given up for space: whatever has most newer ones in its own project first, so that
 * projects lose in turn and each keeps its newest the longest. What is held stands at the end, after all that may go.
 */
export function dropOrder<T extends DropCandidate>(checkpoints: readonly T[]): T[] {
  const newestFirst = checkpoints.toSorted((a, b) => b.takenAt - a.takenAt || (a.id < b.id ? -1 : 1));
  const seen = new Map<string, number>();
  const ranked = newestFirst.map((checkpoint) => {
    const newer = seen.get(checkpoint.projectId) ?? 0;
    seen.set(checkpoint.projectId, newer + 1);
    return { checkpoint, newer, held: Number(isHeld(checkpoint)) };
  });
  ranked.sort(
    (a, b) =>
      a.held - b.held ||
      b.newer - a.newer ||
      a.checkpoint.takenAt - b.checkpoint.takenAt ||
      (a.checkpoint.id < b.checkpoint.id ? -1 : 1),
  );
  return ranked.map(({ checkpoint }) => checkpoint);
}

/** No limit, whatever its kind, lets go of it. */
export function isHeld({ pinned, needed, place }: Pick<DropCandidate, 'pinned' | 'needed' | 'place'>): boolean {
  return pinned || needed || place === 'unreachable';
}
