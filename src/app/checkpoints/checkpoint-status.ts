import type { Problem } from '../../core/problem.ts';
import { CHECKPOINT_SLACK, type WorkdirPlace } from '../../core/retention/checkpoint.ts';
import type { CheckpointItem } from '../../core/retention/inventory.ts';
import { isRemoval, type Shortfall } from '../../core/retention/plan.ts';
import type { CheckpointRules } from '../../core/retention/policy.ts';
import type { EpochMs } from '../../core/time.ts';
import { planRetention } from '../../policy/plan-retention.ts';
import { type Amount, amountOf } from '../documents/plan-document.ts';
import type { HomeParts } from '../home-parts.ts';
import { policyFromConfig } from '../retention/policy-from-config.ts';
import { nextBoundsAt } from './checkpoint-bounds.ts';
import { checkpointInventory } from './checkpoint-inventory.ts';
import { checkpointsOf } from './checkpoints-of.ts';

export interface CheckpointStatus {
  readonly projects: readonly ProjectStatus[];
  readonly checkpoints: number;
  /** Everything that checkpoints take on disk, as `du` counts it: trash, cache and garbage included. The limit is on this. */
  readonly sizeBytes: number;
  /** The part of it that several projects have. */
  readonly sharedBytes: number;
  /** The part of it that nothing needs any more, and when the next pass gives it back; absent where there are no passes. */
  readonly garbageBytes: number;
  readonly garbageUntil?: EpochMs;
  /** The part of it that makes the next checkpoint of each folder quick, and goes before any checkpoint where room is short. */
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
  const checkpoints = checkpointsOf(parts);
  const policy = policyFromConfig(parts.config);
  const items = inventory?.checkpoints ?? [];
  const { ownBytes, sharedBytes, indexBytes } = await checkpoints.sharing(items);
  const plan = inventory && planRetention(inventory, { policy, now: inventory.scannedAt, request });
  const sizeBytes = inventory?.checkpointBytes ?? 0;
  const { garbageBytes } = inventory?.checkpointSpare ?? { garbageBytes: 0 };
  const nextAt = await nextBoundsAt(parts);
  return {
    projects: projectsOf(items, ownBytes),
    checkpoints: items.length,
    sizeBytes,
    sharedBytes,
    garbageBytes,
    ...(garbageBytes > 0 && nextAt !== undefined && { garbageUntil: nextAt }),
    indexBytes,
    limits: policy.checkpoints,
    reclaimable: amountOf(plan?.decisions.filter((one) => isRemoval(one) && one.item.kind === 'checkpoint') ?? []),
    trash: amountOf(inventory?.trash.filter(({ onlyCheckpoints }) => onlyCheckpoints) ?? []),
    legacy: amountOf(checkpoints.legacy()),
    problems: [...(inventory?.problems ?? []), ...overLimit(sizeBytes, policy.checkpoints)],
    shortfalls: plan?.shortfalls ?? [],
  };
}

/** Beyond the slack something is in the way: a person should know. */
function overLimit(sizeBytes: number, { maxBytes = Infinity }: CheckpointRules): Problem[] {
  if (sizeBytes <= maxBytes * (1 + CHECKPOINT_SLACK)) return [];
  const [took, may] = [sizeBytes, maxBytes].map((bytes) => (bytes / 1024 / 1024).toFixed(1));
  return [
    {
      kind: 'checkpoints-over-limit',
      subject: 'checkpoints',
      message: `Checkpoints take ${took} MB on disk, and ${may} MB are allowed.`,
      hint: 'See what can go with: coppice checkpoints prune --dry-run',
    },
  ];
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
