import type { WorkdirPlace } from './checkpoint.ts';
import type { Problem } from './problem.ts';
import type { ChildKind } from './session.ts';
import type { EpochMs } from './time.ts';

/** What a scan found in one home. Facts only: what becomes of them is for the policy to say. */
export interface Inventory {
  readonly home: HomeRef;
  readonly scannedAt: EpochMs;
  readonly sessions: readonly SessionItem[];
  readonly strays: readonly StrayItem[];
  readonly trash: readonly TrashItem[];
  readonly archives: readonly ArchiveItem[];
  readonly checkpoints: readonly CheckpointItem[];
  /** What the store of checkpoints takes on disk, what they share included and what nothing needs any more left out. */
  readonly checkpointBytes: number;
  /** What could not be read or is not understood. Shown to a person, never removed. */
  readonly problems: readonly Problem[];
  readonly disk: DiskFacts;
  /** In a home of another agent, every file in it by sort. */
  readonly files?: readonly FileClass[];
  /** Why no decision to remove may be trusted, if so: the active sessions or the clock are in doubt. */
  readonly doubts: readonly Doubt[];
}

export interface HomeRef {
  readonly id: string;
  readonly path: string;
}

export type Doubt = 'activity-unknown' | 'clock-suspect';

export interface DiskFacts {
  /** Everything in the home, trash and archives included. */
  readonly usedBytes: number;
  readonly freeBytes: number;
}

/** Files of one sort. */
export interface FileClass {
  readonly name: string;
  readonly files: number;
  readonly sizeBytes: number;
  /** Its agent never cuts it back. */
  readonly unbounded: boolean;
}

/** A live session with everything it owns. */
export interface SessionItem {
  readonly kind: 'session';
  readonly id: string;
  readonly source: string;
  readonly workdir?: string;
  readonly title?: string;
  readonly model?: string;
  readonly parentId?: string;
  readonly childKind?: ChildKind;
  readonly startedAt: EpochMs;
  readonly lastActiveAt: EpochMs;
  readonly endedAt?: EpochMs;
  readonly endReason?: string;
  readonly messageCount: number;
  /** Pieces of recorded output, which are no messages; absent when there is none. */
  readonly outputCount?: number;
  readonly pinned: boolean;
  readonly tags: readonly string[];
  /** A living process holds it, or it was used within the grace. */
  readonly active: boolean;
  /** Its metadata could not be read in full, so nothing about its age or use is certain. */
  readonly unreadable?: boolean;
  readonly bytes: SessionBytes;
  /** Changes whenever anything that a decision rests on changes; compared again inside the step that removes. */
  readonly fingerprint: string;
}

export interface SessionBytes {
  readonly rows: number;
  readonly transcript: number;
  readonly dumps: number;
  readonly other: number;
}

/** A file or directory that no session owns: `orphan` belonged to one, `debris` was left by an interrupted write. */
export interface StrayItem {
  readonly kind: 'orphan' | 'debris';
  /** Relative to the home. */
  readonly id: string;
  readonly lastActiveAt: EpochMs;
  readonly sizeBytes: number;
  readonly fingerprint: string;
}

/** What one run removed and can still give back. */
export interface TrashItem {
  readonly kind: 'trash';
  /** The run's id. */
  readonly id: string;
  readonly removedAt: EpochMs;
  readonly expiresAt: EpochMs;
  readonly itemCount: number;
  readonly sizeBytes: number;
  /** There is nothing in it but checkpoints, so the limits on those may empty it. */
  readonly onlyCheckpoints?: true;
  readonly fingerprint: string;
}

/** An archived session: no rows and no files, but a verified bundle. */
export interface ArchiveItem {
  readonly kind: 'archive';
  /** The session's id. */
  readonly id: string;
  readonly source: string;
  readonly archivedAt: EpochMs;
  readonly lastActiveAt: EpochMs;
  readonly pinned: boolean;
  readonly tags: readonly string[];
  readonly sizeBytes: number;
  readonly fingerprint: string;
}

/** One saved state of a working directory. */
export interface CheckpointItem {
  readonly kind: 'checkpoint';
  readonly id: string;
  readonly projectId: string;
  readonly workdir: string;
  readonly takenAt: EpochMs;
  readonly sessionId?: string;
  readonly pinned: boolean;
  /** A restore that runs, or that can still be undone, needs it. */
  readonly needed: boolean;
  /** A session is at work in its project now. */
  readonly active: boolean;
  readonly place: WorkdirPlace;
  /** What is freed when it goes and everything before it in `dropOrder` is gone: content is shared between checkpoints. */
  readonly sizeBytes: number;
  readonly fingerprint: string;
  /** It is part of a history from which only the oldest can be taken. */
  readonly chained?: true;
}

export type Item = SessionItem | StrayItem | TrashItem | ArchiveItem | CheckpointItem;

/** All the bytes an item takes. */
export function itemBytes(item: Item): number {
  if (item.kind !== 'session') return item.sizeBytes;
  const { rows, transcript, dumps, other } = item.bytes;
  return rows + transcript + dumps + other;
}
