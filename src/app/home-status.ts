import { type FileClass, type Inventory, type Item, itemBytes, type TrashItem } from '../core/inventory.ts';
import { type Decision, isRemoval, type KeepReason, type Plan } from '../core/plan.ts';
import type { Problem } from '../core/problem.ts';
import type { Run } from '../core/run.ts';
import type { EpochMs } from '../core/time.ts';
import { type OversizedSession, oversizedSessions } from '../policy/oversized-sessions.ts';
import { planRetention } from '../policy/plan-retention.ts';
import { unmatchedNames } from './config/unmatched-names.ts';
import { type Amount, amountOf } from './documents/plan-document.ts';
import type { HomeParts } from './home-parts.ts';
import { policyFromConfig } from './policy-from-config.ts';
import { foreignNotes } from './refuse-foreign.ts';
import type { Retention, RetentionOptions } from './retention.ts';

/** What a home keeps, what protects it, and what the rules would let go of now. */
export interface HomeStatus {
  readonly home: Inventory['home'];
  readonly classes: readonly StatusClass[];
  readonly disk: Inventory['disk'] & { readonly maxBytes?: number };
  /** When the first and the last run can no longer be undone; absent while the trash is empty. */
  readonly trashUntil?: { readonly first: EpochMs; readonly last: EpochMs };
  readonly notes: readonly string[];
  readonly shortfalls: Plan['shortfalls'];
  readonly problems: readonly Problem[];
  /** Sessions that grew beyond what the rules allow one to be, the largest first. */
  readonly oversized: readonly OversizedSession[];
  /** In a home of another agent, everything by sort, the largest first. */
  readonly files?: readonly FileClass[];
  readonly lastRun?: Run;
  /** Absent when unattended maintenance is switched off. */
  readonly nextMaintenanceAt?: EpochMs;
}

export interface StatusClass extends Amount {
  readonly name: ClassName;
  /** How many stay, by reason. */
  readonly kept: Readonly<Partial<Record<KeepReason, number>>>;
  readonly reclaimable: Amount;
}

export type ClassName = 'sessions' | 'strays' | 'trash' | 'archives' | 'checkpoints';

export interface StatusParts extends Pick<HomeParts, 'config' | 'foreign'> {
  readonly retention: Retention;
  /** Absent when unattended maintenance is switched off. */
  readonly nextMaintenanceAt: EpochMs | undefined;
}

/** Reads the home once and asks the rules about all of it. Changes nothing. */
export async function homeStatus(parts: StatusParts, options?: RetentionOptions): Promise<HomeStatus> {
  const { retention, nextMaintenanceAt } = parts;
  const inventory = await retention.scan(options);
  const policy = policyFromConfig(parts.config);
  const plan = planRetention(inventory, { policy, now: inventory.scannedAt });
  const { maxBytes } = policy.disk;
  const lastRun = await first(retention.runs());
  const trashUntil = until(inventory.trash);
  return {
    home: inventory.home,
    classes: classesOf(inventory, plan.decisions),
    disk: { ...inventory.disk, ...(maxBytes !== undefined && { maxBytes }) },
    ...(trashUntil !== undefined && { trashUntil }),
    notes: [...foreignNotes(parts), ...plan.notes, ...unmatchedNames(parts.config, inventory)],
    shortfalls: plan.shortfalls,
    problems: inventory.problems,
    oversized: oversizedSessions(inventory, policy),
    ...(inventory.files && { files: inventory.files.toSorted((a, b) => b.sizeBytes - a.sizeBytes) }),
    ...(lastRun !== undefined && { lastRun }),
    ...(nextMaintenanceAt !== undefined && { nextMaintenanceAt }),
  };
}

const CLASS_OF: Record<Decision['item']['kind'], ClassName> = {
  session: 'sessions',
  orphan: 'strays',
  debris: 'strays',
  trash: 'trash',
  archive: 'archives',
  checkpoint: 'checkpoints',
};

function classesOf(inventory: Inventory, decisions: readonly Decision[]): StatusClass[] {
  const { sessions, strays, trash, archives, checkpoints } = inventory;
  return [
    classOf('sessions', sessions, decisions),
    classOf('strays', strays, decisions),
    classOf('trash', trash, decisions),
    ...(archives.length === 0 ? [] : [classOf('archives', archives, decisions)]),
    ...(checkpoints.length === 0 ? [] : [classOf('checkpoints', checkpoints, decisions)]),
  ];
}

function classOf(name: ClassName, items: readonly Item[], decisions: readonly Decision[]): StatusClass {
  const kept: Partial<Record<KeepReason, number>> = {};
  for (const { item, action, reason } of decisions)
    if (action === 'keep' && CLASS_OF[item.kind] === name) kept[reason] = (kept[reason] ?? 0) + 1;
  return {
    name,
    items: items.length,
    sizeBytes: items.reduce((sum, item) => sum + itemBytes(item), 0),
    kept,
    reclaimable: amountOf(decisions, (each) => isRemoval(each) && CLASS_OF[each.item.kind] === name),
  };
}

function until(trash: readonly TrashItem[]): HomeStatus['trashUntil'] {
  if (trash.length === 0) return undefined;
  const times = trash.map(({ expiresAt }) => expiresAt);
  return { first: Math.min(...times), last: Math.max(...times) };
}

async function first<T>(items: AsyncIterable<T>): Promise<T | undefined> {
  for await (const item of items) return item;
  return undefined;
}
