import type { Problem } from '../core/problem.ts';
import type { Checkpoint, CheckpointProject } from '../core/retention/checkpoint.ts';
import type { CheckpointItem, Inventory, StrayItem } from '../core/retention/inventory.ts';
import type { Sharing } from './reclaim/measure-sharing.ts';
import type { ReclaimOptions } from './reclaim/reclaim-store.ts';
import type { CheckpointDiff, CheckpointDiffOptions } from './restore/diff-checkpoints.ts';
import type {
  CheckpointRestoreOptions,
  CheckpointRestorePreview,
  CheckpointRestoreResult,
  PreviewOptions,
} from './restore-checkpoint.ts';
import type { StoreVerdict, VerifyOptions } from './reclaim/verify-store.ts';
import type { Changed } from './take/measure-changes.ts';

export interface CheckpointDetail {
  readonly checkpoint: Checkpoint;
  /** The one before it in the same project, which `changes` compares it with. */
  readonly previous?: Checkpoint;
  readonly changes: Changed;
}

export interface CheckpointsFound {
  /** Without the cache, which gives way by itself. */
  readonly diskBytes: number;
  readonly loose: number;
}

/**
 * The checkpoints of one home, whoever takes them. Everything is by the id of a checkpoint, or the first characters of it. Looking
 * leaves no trace in a home of another agent.
 */
export interface HomeCheckpoints {
  /** Newest first: of one working directory, or of all. */
  list(workdir?: string): Promise<readonly Checkpoint[]>;
  /** Every working directory that has checkpoints, the one used last first. */
  projects(): Promise<readonly CheckpointProject[]>;
  show(id: string): Promise<CheckpointDetail>;
  diff(id: string, options: CheckpointDiffOptions): Promise<CheckpointDiff>;
  diffText(id: string, options: CheckpointDiffOptions): AsyncIterable<string>;
  /** The caller holds the home's lock. */
  restore(id: string, options: CheckpointRestoreOptions): Promise<CheckpointRestoreResult>;
  previewRestore(id: string, options: PreviewOptions): Promise<CheckpointRestorePreview>;
  verify(options: VerifyOptions): Promise<StoreVerdict>;
  /** A look at all of them: how many, and what is wrong. */
  check(): Promise<{ readonly looked: number; readonly problems: readonly Problem[] }>;
  /** An inventory with all of them. `active` are the folders in which somebody works. */
  addTo(inventory: Inventory, active: readonly string[]): Promise<Inventory>;
  /** Whether sessions whose use is not known count as work in their folder. */
  readonly knowsUse: boolean;
  /** Layouts of before. */
  legacy(): readonly StrayItem[];
  /** The folders of all projects, by the ids of those. */
  workdirs(): readonly { readonly id: string; readonly workdir: string }[];
  sharing(items: readonly CheckpointItem[]): Promise<Sharing>;
  /** What there is to bound; undefined where there is nothing. Costs little. */
  look(): Promise<CheckpointsFound | undefined>;
  /** Whether a project has many more than it may. Where only the cache is too large, that is put right here. */
  isCrowded(limit: { readonly maxSnapshots: number; readonly spareBytes: number }): Promise<boolean>;
  /** Gives the space of those that are gone for good back to the disk. The caller holds the home's lock. */
  reclaim(options?: ReclaimOptions): Promise<number>;
}
