import type { Problem } from '../../../../core/problem.ts';
import type { EpochMs } from '../../../../core/time.ts';

/** A working directory that Hermes takes checkpoints of. */
export interface HermesProject {
  /** `v1` is a repository of its own, `legacy` one that was moved aside or replaced, `v2` a ref in the store that all share. */
  readonly layout: 'v1' | 'legacy' | 'v2';
  readonly hash: string;
  /** Where its repository is, relative to the home. */
  readonly repository: string;
  /** Absent when what Hermes noted about it is missing or does not fit: then nothing may be concluded from it. */
  readonly workdir?: string;
  readonly lastTouchAt?: EpochMs;
  /** The folder that holds the working directory, as it was when Hermes last saw it. Texts, as `dev` and `ino` may be large. */
  readonly parent?: { readonly dev: string; readonly ino: string };
  /** Newest first. */
  readonly snapshots: readonly HermesSnapshot[];
  /** Absent in the store, where projects share what they hold. */
  readonly sizeBytes?: number;
}

export interface HermesSnapshot {
  readonly hash: string;
  readonly tree: string;
  readonly takenAt: EpochMs;
  readonly reason: string;
}

/** What one repository holds. */
export interface Found {
  readonly projects: readonly HermesProject[];
  readonly problems: readonly Problem[];
}
