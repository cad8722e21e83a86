import { measureSharing, type Sharing } from '../checkpoints/measure-sharing.ts';
import { findStore } from '../checkpoints/open-store.ts';
import type { WorkdirPlace } from '../core/checkpoint.ts';
import type { CheckpointItem } from '../core/inventory.ts';
import { isRemoval, type Shortfall } from '../core/plan.ts';
import type { CheckpointRules } from '../core/policy.ts';
import type { Problem } from '../core/problem.ts';
import type { EpochMs } from '../core/time.ts';
import { planRetention } from '../policy/plan-retention.ts';
import { checkpointInventory, legacyOf } from './checkpoint-inventory.ts';
import { checkpointStoreOptions } from './checkpoint-store.ts';
import { type Amount, amountOf } from './documents/plan-document.ts';
import { hermesSharing } from './hermes/hermes-inventory.ts';
import type { HomeParts } from './home-parts.ts';
import { policyFromConfig } from './policy-from-config.ts';

export interface CheckpointStatus {
  readonly projects: readonly ProjectStatus[];
  readonly checkpoints: number;
  /** What the store takes on disk once space is given back, and the part of it that projects share. */
  readonly sizeBytes: number;
  readonly sharedBytes: number;
  /** A cache beside it that makes the next checkpoint of each folder quick, and goes before any checkpoint where room is short. */
  readonly indexBytes: number;
  readonly limits: CheckpointRules;
  /** What `coppice checkpoints prune` would remove now. */
  readonly reclaimable: Amount;
  readonly trash: Amount;
  /** Folders with checkpoints in layouts of before. */
  readonly legacy: Amount;
  readonly problems: readonly Problem[];
  readonly shortfalls: readonly Shortfall[];
}

export interface ProjectStatus {
  readonly id: string;
  readonly workdir: string;
  readonly place: WorkdirPlace;
  readonly checkpoints: number;
  readonly pinned: number;
  readonly lastTakenAt: EpochMs;
  /** What no other project has. */
  readonly ownBytes: number;
}

/** Looks at the store of checkpoints and asks the rules about it. Changes nothing. */
export async function checkpointStatus(parts: HomeParts): Promise<CheckpointStatus> {
  const request = { kind: 'checkpoints', keepOrphans: false } as const;
  const inventory = await checkpointInventory(parts, request);
  const policy = policyFromConfig(parts.config);
  const items = inventory?.checkpoints ?? [];
  const { ownBytes, sharedBytes, indexBytes } = await sharingOf(parts, items);
  const plan = inventory && planRetention(inventory, { policy, now: inventory.scannedAt, request });
  return {
    projects: projectsOf(items, ownBytes),
    checkpoints: items.length,
    sizeBytes: inventory?.checkpointBytes ?? 0,
    sharedBytes,
    indexBytes,
    limits: policy.checkpoints,
    reclaimable: amountOf(plan?.decisions.filter((one) => isRemoval(one) && one.item.kind === 'checkpoint') ?? []),
    trash: amountOf(inventory?.trash.filter(({ onlyCheckpoints }) => onlyCheckpoints) ?? []),
    legacy: amountOf(legacyOf(parts)),
    problems: inventory?.problems ?? [],
    shortfalls: plan?.shortfalls ?? [],
  };
}

const NOTHING: Sharing = { ownBytes: new Map(), sharedBytes: 0, indexBytes: 0 };

async function sharingOf(parts: HomeParts, items: readonly CheckpointItem[]): Promise<Sharing> {
  if (parts.foreign !== undefined) return hermesSharing(parts.foreign.path, items);
  const store = findStore(checkpointStoreOptions(parts));
  return store === undefined ? NOTHING : measureSharing(store, items);
}

/** The one used last first. */
function projectsOf(items: readonly CheckpointItem[], ownBytes: ReadonlyMap<string, number>): ProjectStatus[] {
  const projects = new Map<string, ProjectStatus>();
  for (const { projectId: id, workdir, place, takenAt, pinned } of items) {
    const known = projects.get(id);
    projects.set(id, {
      id,
      workdir,
      place,
      checkpoints: (known?.checkpoints ?? 0) + 1,
      pinned: (known?.pinned ?? 0) + Number(pinned),
      lastTakenAt: Math.max(known?.lastTakenAt ?? 0, takenAt),
      ownBytes: ownBytes.get(id) ?? 0,
    });
  }
  return [...projects.values()].toSorted((a, b) => b.lastTakenAt - a.lastTakenAt || (a.id < b.id ? -1 : 1));
}
