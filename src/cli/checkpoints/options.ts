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

export interface RestoreOptions {
  readonly withSession?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

export interface CheckpointsPruneOptions {
  readonly retentionDays?: number;
  readonly maxSizeMb?: number;
  readonly maxSnapshots?: number;
  readonly keepOrphans?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

export interface ClearOptions {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}
