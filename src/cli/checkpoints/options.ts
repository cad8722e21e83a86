import type { ByHandOptions } from '../command-options.ts';

/** What the command line hands to the commands of checkpoints. */
export interface TakeOptions {
  readonly reason?: string;
  readonly session?: string;
}

export interface CheckpointListOptions {
  readonly all?: boolean;
}

export interface DiffOptions {
  readonly stat?: boolean;
}

export interface RestoreOptions extends ByHandOptions {
  readonly withSession?: boolean;
}

export interface CheckpointsPruneOptions extends ByHandOptions {
  readonly retentionDays?: number;
  readonly maxSizeMb?: number;
  readonly maxSnapshots?: number;
  readonly keepOrphans?: boolean;
  readonly gone?: string;
  readonly unreachable?: boolean;
}
