import type { Problem } from '../core/problem.ts';
import {
  type DiskPart,
  type FileClass,
  type Inventory,
  type Item,
  itemBytes,
  type TrashItem,
} from '../core/retention/inventory.ts';
import type { MaintenanceMemory, Waiting } from '../core/retention/maintenance.ts';
import { type Decision, isRemoval, type KeepReason, type Plan } from '../core/retention/plan.ts';
import type { Run } from '../core/retention/run.ts';
import type { EpochMs } from '../core/time.ts';
import { guardPlan } from '../policy/guard/guard-plan.ts';
import { planRetention } from '../policy/plan-retention.ts';
import { type OversizedSession, oversizedSessions } from '../policy/pressure/oversized-sessions.ts';
import { type Attention, attentionOf } from './attention.ts';
import { unmatchedNames } from './config/unmatched-names.ts';
import { type Amount, amountOf } from './documents/plan-document.ts';
import type { HomeParts } from './home-parts.ts';
import { threatNotes } from './machine/threat-note.ts';
import { intervalMs } from './maintenance/maintenance-memory.ts';
import { configNotes } from './refusals/refuse-bad-config.ts';
import { foreignNotes } from './refusals/refuse-foreign.ts';
import { policyFromConfig, unattendedPolicy } from './retention/policy-from-config.ts';
import type { Retention, RetentionOptions } from './retention/retention.ts';

/** What a home keeps, what protects it, and what the rules would let go of now. */
export interface HomeStatus {
  readonly home: Inventory['home'];
  readonly classes: readonly StatusClass[];
  readonly disk: Omit<Inventory['disk'], 'parts'> & { readonly maxBytes?: number };
  /** What the home takes beside its classes, which together with them is all that it takes. */
  readonly rest: readonly RestSize[];
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
  /** What the next unattended pass puts off. */
  readonly waiting?: Waiting;
  /** Since when a person holds what unattended passes would remove. */
  readonly heldSince?: EpochMs;
  /** What needs a person, the most urgent first; empty when all is well. */
  readonly attention: readonly Attention[];
}

export interface StatusClass extends Amount {
  readonly name: ClassName;
  /** How many stay, by reason. */
  readonly kept: Readonly<Partial<Record<KeepReason, number>>>;
  readonly reclaimable: Amount;
}

export type ClassName = Extract<DiskPart, 'sessions' | 'strays' | 'trash' | 'archives' | 'checkpoints'>;

export type RestName = Exclude<DiskPart, ClassName>;

export interface RestSize {
  readonly name: RestName;
  readonly sizeBytes: number;
}

export interface StatusParts extends Pick<HomeParts, 'config' | 'configIssues' | 'foreign'> {
  readonly retention: Retention;
  /** Absent when unattended maintenance is switched off. */
  readonly nextMaintenanceAt: EpochMs | undefined;
  readonly maintenance: MaintenanceMemory;
  /** What keeps failing in the background. */
  readonly troubles: readonly Problem[];
}

/** Reads the home once and asks the rules about all of it. Changes nothing. */
export async function homeStatus(parts: StatusParts, options?: RetentionOptions): Promise<HomeStatus> {
  const { retention, nextMaintenanceAt } = parts;
  const unfinished = await retention.recovery.unfinished();
  const inventory = await retention.scan(options);
  const { usedBytes, freeBytes } = inventory.disk;
  const lastRun = await first(retention.runs());
  const trashUntil = until(inventory.trash);
  const { notes, maxBytes, ...ruled } = byTheRules(parts, inventory);
  const status = {
    home: inventory.home,
    ...ruled,
    disk: { usedBytes, freeBytes, ...(maxBytes !== undefined && { maxBytes }) },
    rest: restOf(inventory),
    ...(trashUntil !== undefined && { trashUntil }),
    notes: [
      ...(unfinished === undefined ? [] : [unfinished]),
      ...foreignNotes(parts),
      ...(await threatNotes(parts, inventory)),
      ...configNotes(parts),
      ...notes,
      ...unmatchedNames(parts.config, inventory),
    ],
    problems: [...inventory.problems, ...parts.troubles],
    ...(inventory.files && { files: inventory.files.toSorted((a, b) => b.sizeBytes - a.sizeBytes) }),
    ...(lastRun !== undefined && { lastRun }),
    ...(nextMaintenanceAt !== undefined && { nextMaintenanceAt }),
    ...putOff(parts, inventory),
  };
  const { min_free_mb: minFree } = parts.config.disk;
  return {
    ...status,
    attention: attentionOf(status, { minFreeBytes: minFree === 'never' ? undefined : minFree * MB }),
  };
}

const MB = 1024 * 1024;

/** What the rules say of all there is. The plan itself, which is as large as the home, is gone before another is made. */
function byTheRules({ config }: StatusParts, inventory: Inventory) {
  const policy = policyFromConfig(config);
  const { decisions, notes, shortfalls } = planRetention(inventory, { policy, now: inventory.scannedAt });
  const { maxBytes } = policy.disk;
  return {
    maxBytes,
    classes: classesOf(inventory, decisions),
    notes,
    shortfalls,
    oversized: oversizedSessions(inventory, policy),
  };
}

/** As the next unattended pass would put it off, so that what went by hand since the last one is no longer told of. */
function putOff(parts: StatusParts, inventory: Inventory): Pick<HomeStatus, 'waiting' | 'heldSince'> {
  const { maintenance: memory, config } = parts;
  const { heldSince } = memory;
  const unattended = config.sessions.auto_prune || memory.policy !== undefined;
  const policy = unattendedPolicy(config);
  const plan = unattended && planRetention(inventory, { policy, now: inventory.scannedAt });
  const { waiting } = plan ? guardPlan(plan, { inventory, policy, memory, intervalMs: intervalMs(config) }) : {};
  return { ...(waiting !== undefined && { waiting }), ...(heldSince !== undefined && { heldSince }) };
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
  const classes = CLASS_NAMES.map((name) => classOf(name, inventory, decisions));
  return classes.filter(({ name, items, sizeBytes }) => ALWAYS_SHOWN.has(name) || items > 0 || sizeBytes > 0);
}

const CLASS_NAMES: readonly ClassName[] = ['sessions', 'strays', 'trash', 'archives', 'checkpoints'];
/** The others are there only once somebody uses them. */
const ALWAYS_SHOWN: ReadonlySet<ClassName> = new Set(['sessions', 'strays', 'trash']);

/** Parts that are there in every home are named first. */
const REST_NAMES: readonly RestName[] = ['index', 'log', 'reserve', 'plans', 'audit', 'search', 'caches', 'other'];

function restOf({ disk: { parts } }: Inventory): RestSize[] {
  return REST_NAMES.map((name) => ({ name, sizeBytes: parts?.[name] ?? 0 })).filter(({ sizeBytes }) => sizeBytes > 0);
}

/** Its size is what the disk has of it, which for things that share space is less than all of them together, or more. */
function classOf(name: ClassName, inventory: Inventory, decisions: readonly Decision[]): StatusClass {
  const items: readonly Item[] = inventory[name];
  const kept: Partial<Record<KeepReason, number>> = {};
  for (const { item, action, reason } of decisions)
    if (action === 'keep' && CLASS_OF[item.kind] === name) kept[reason] = (kept[reason] ?? 0) + 1;
  return {
    name,
    items: items.length,
    sizeBytes: inventory.disk.parts?.[name] ?? items.reduce((sum, item) => sum + itemBytes(item), 0),
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
