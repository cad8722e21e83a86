import type { Problem } from '../problem.ts';
import type { ChildKind } from '../sessions/session.ts';
import type { SessionHold } from '../sessions/session-hold.ts';
import type { FilteredFact, WordFacts } from '../sessions/word-facts.ts';
import type { EpochMs } from '../time.ts';
import type { WorkdirPlace } from './checkpoint.ts';

/** What a scan found in one home. Facts only: what becomes of them is for the policy to say. */
export interface Inventory {
  readonly home: HomeRef;
  readonly scannedAt: EpochMs;
  readonly sessions: readonly SessionItem[];
  readonly strays: readonly StrayItem[];
  readonly trash: readonly TrashItem[];
  readonly archives: readonly ArchiveItem[];
  readonly checkpoints: readonly CheckpointItem[];
  /** Everything that checkpoints take on disk, as `du` counts it: with their trash, what they share and what is spare. */
  readonly checkpointBytes: number;
  /** The part of it that goes before any checkpoint and any trash does; absent where there is none. */
  readonly checkpointSpare?: CheckpointSpare;
  /** What could not be read or is not understood. Shown to a person, never removed. */
  readonly problems: readonly Problem[];
  readonly disk: DiskFacts;
  /** Which of the facts that not every kind of home records are known of its sessions; none when absent. */
  readonly knows?: readonly SessionFact[];
  /** In a home of another agent, every file in it by sort. */
  readonly files?: readonly FileClass[];
  /** Why no decision to remove may be trusted, if so: the active sessions or the clock are in doubt. */
  readonly doubts: readonly Doubt[];
}

/** What some kinds of home record about sessions and others do not. */
export type SessionFact = 'tokens' | 'cost' | FilteredFact;

/** Bytes that no checkpoint needs. */
export interface CheckpointSpare {
  /** What was removed for good and waits for the next reclaim. */
  readonly garbageBytes: number;
  /** What makes the next checkpoint of each folder quick. */
  readonly cacheBytes: number;
}

export interface HomeRef {
  readonly id: string;
  readonly path: string;
}

export type Doubt = 'activity-unknown' | 'clock-suspect';

export interface DiskFacts {
  /** What the whole home takes on the disk, as `du` counts it: blocks, folders, log, reserve, trash and archives included. */
  readonly usedBytes: number;
  readonly freeBytes: number;
  /** The same by part. Absent where only a part of the home was looked at. */
  readonly parts?: DiskParts;
}

/** Every byte of a home is in exactly one part. */
export type DiskParts = Readonly<Record<DiskPart, number>>;

export type DiskPart =
  | 'sessions'
  | 'strays'
  | 'trash'
  | 'archives'
  | 'checkpoints'
  /** The database beside the messages in it: the search index, the ledger, the journal, free pages. */
  | 'index'
  /** What was written to the database last, until it is moved into it. */
  | 'log'
  /** Kept for a full disk. */
  | 'reserve'
  /** Who changed what. */
  | 'audit'
  /** Saved plans. */
  | 'plans'
  /** The search index over homes of other agents. */
  | 'search'
  /** What makes work quicker and can go at any time. */
  | 'caches'
  | 'other';

/** All the parts together. */
export function diskPartsSum(parts: DiskParts): number {
  return Object.values(parts).reduce((sum, bytes) => sum + bytes, 0);
}

/** The same facts with some bytes counted in another part, where a closer look says that they belong there. */
export function movePart(
  disk: DiskFacts,
  { from, to, bytes }: { from: DiskPart; to: DiskPart; bytes: number },
): DiskFacts {
  if (disk.parts === undefined) return disk;
  const moved = Math.min(disk.parts[from], bytes);
  return { ...disk, parts: { ...disk.parts, [from]: disk.parts[from] - moved, [to]: disk.parts[to] + moved } };
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
export interface SessionItem extends WordFacts {
  readonly kind: 'session';
  readonly id: string;
  readonly source: string;
  readonly title?: string;
  readonly parentId?: string;
  readonly childKind?: ChildKind;
  readonly startedAt: EpochMs;
  readonly lastActiveAt: EpochMs;
  readonly endedAt?: EpochMs;
  readonly endReason?: string;
  /** It ended because its conversation was started afresh. */
  readonly reset?: true;
  readonly messageCount: number;
  /** Nobody has counted its messages yet, and there may be any number of them. */
  readonly uncounted?: true;
  /** Pieces of recorded output, which are no messages; absent when there is none. */
  readonly outputCount?: number;
  /** As `totalTokens` counts them. */
  readonly tokens?: number;
  readonly costUsd?: number;
  readonly pinned: boolean;
  readonly tags: readonly string[];
  /** A living process holds it, or it was used within the grace. With `routed` and `endedAt` it says whether it is in use. */
  readonly active: boolean;
  /** The next message at some key goes on in it. */
  readonly routed?: true;
  /** Set where only its agent may take it away. A driver that skips nothing else skips this. */
  readonly hold?: SessionHold;
  /** Its metadata could not be read in full, so nothing about its age or use is certain. */
  readonly unreadable?: boolean;
  readonly bytes: SessionBytes;
  /** Changes whenever anything that a decision rests on changes; compared again inside the step that removes. */
  readonly fingerprint: string;
}

/** What a session takes: the contents of its rows, and files as the disk counts them, its folders among `other` and `dumps`. */
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
  /** The contents of rows among them, which the search index still knows; absent where there are none. */
  readonly rows?: number;
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
  /** Since when unattended passes have seen nothing but that its folder is gone; absent where the last one did not. */
  readonly seenGoneAt?: EpochMs;
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
