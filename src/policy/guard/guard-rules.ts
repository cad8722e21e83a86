import type { Inventory, SessionItem } from '../../core/retention/inventory.ts';
import type { GuardMemory } from '../../core/retention/maintenance.ts';
import type { Decision, Plan, Removal } from '../../core/retention/plan.ts';
import type { Policy } from '../../core/retention/policy.ts';
import { DAY_MS, type EpochMs } from '../../core/time.ts';
import { findLineages } from '../find-lineages.ts';
import { groupKey, isOutsideFloor } from '../floors.ts';
import { oldestFirst } from '../pressure/oldest-first.ts';
import { limitOf, rulesBySource } from '../rules-by-source.ts';

/** What goes whatever the guard says: a person has decided about it already, or nobody ever wrote it. */
export function passesAnyway({ reason }: Removal): boolean {
  return reason === 'trash-expired' || reason === 'debris';
}

/**
 * A cap is a promise, so what must go to hold it is not slowed down by its number. Where other programs fill the disk, it is:
 * they would empty the home otherwise.
 */
export function pressureIsCounted({ disk }: Inventory, { disk: rules }: Policy): boolean {
  const overCap = disk.usedBytes > (limitOf(rules.maxBytes) ?? Infinity);
  return !overCap && disk.freeBytes < (limitOf(rules.minFreeBytes) ?? 0);
}

interface Limits {
  readonly sessions: number;
  readonly items: number;
}

/** Twice what arrives is still an ordinary day: something piled up a little. */
const ORDINARY = 2;

/**
 * How many may go at once. Sessions are measured against all sessions; then sessions, orphans and archives together, so that a
 * database which lost its rows, and makes an orphan of every file, is slowed down too. Trash, debris and request dumps do not
 * count. As much as arrives in the time since the last pass is no large removal, whatever share of all it is.
 */
export function itemLimits(
  decisions: readonly Decision[],
  options: { inventory: Inventory; policy: Policy; memory: GuardMemory; intervalMs: number },
): Limits {
  const { maxItems, maxPart } = options.policy.guard;
  if (!(maxItems >= 0 && maxPart >= 0)) return { sessions: 0, items: 0 };
  const steady = steadyRemovals(options);
  const limit = (all: number) => Math.max(maxItems, Math.floor(maxPart * all), steady);
  const sessions = decisions.filter(({ item }) => item.kind === 'session').length;
  const items = decisions.filter(({ item }) => item.kind !== 'trash' && item.kind !== 'debris').length;
  return { sessions: limit(sessions), items: limit(items) };
}

/** A clock that jumped must not count as a long time in which much arrived. */
function steadyRemovals({
  inventory,
  memory,
  intervalMs,
}: {
  inventory: Inventory;
  memory: GuardMemory;
  intervalMs: number;
}): number {
  const now = inventory.scannedAt;
  const passed = now - (memory.lastAt ?? now);
  const days = Math.min(Math.max(passed, DAY_MS), 2 * Math.max(intervalMs, DAY_MS)) / DAY_MS;
  return Math.ceil(ORDINARY * arrivalsPerDay(inventory.sessions, now) * days);
}

/** What an ordinary day brings: the median over the days on which anything began. */
export function arrivalsPerDay(sessions: readonly SessionItem[], now: EpochMs): number {
  const days = new Map<number, number>();
  for (const { startedAt } of sessions) {
    const day = Math.floor(startedAt / DAY_MS);
    if (startedAt <= now) days.set(day, (days.get(day) ?? 0) + 1);
  }
  const counts = [...days.values()].toSorted((a, b) => a - b);
  return counts[Math.floor((counts.length - 1) / 2)] ?? 0;
}

/** Groups that lose every session, unless a person wants none kept, or nothing was in them that the floor protects. */
export function emptiedGroups(plan: Plan, { sessions }: Inventory, policy: Policy) {
  const leaving = new Set<string>();
  for (const { item, action } of plan.decisions) {
    if (item.kind === 'session' && (action === 'remove' || action === 'archive')) leaving.add(item.id);
  }
  const kept = new Set(sessions.filter(({ id }) => !leaving.has(id)).map(groupKey));
  const emptied = new Map<string, SessionItem>();
  const ids = new Set<string>();
  const ordered = oldestFirst(sessions, ({ lastActiveAt }) => lastActiveAt);
  const rulesFor = rulesBySource(policy, plan.request);
  const { lineageOf } = findLineages(ordered, rulesFor);
  for (const [at, session] of ordered.entries()) {
    const lineage = lineageOf[at];
    const isFree = lineage === undefined || isOutsideFloor(lineage) || rulesFor(session.source).keepLast === 'never';
    if (isFree || kept.has(groupKey(session))) continue;
    emptied.set(groupKey(session), session);
    ids.add(session.id);
  }
  return { ids, groups: [...emptied].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, session]) => session) };
}
