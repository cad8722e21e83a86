import { Failure } from '../../core/failure.ts';
import type { HomeLock } from '../../core/home-lock.ts';
import {
  type MaintenanceMemory,
  type MaintenanceReport,
  nextDueAt,
  type PassCounts,
} from '../../core/retention/maintenance.ts';
import { isRemoval, type Plan } from '../../core/retention/plan.ts';
import type { Policy } from '../../core/retention/policy.ts';
import { guardPlan } from '../../policy/guard/guard-plan.ts';
import { planRetention } from '../../policy/plan-retention.ts';
import { type ApplyParts, applyPlan } from '../../engine/apply-plan.ts';
import { recoverRuns } from '../../engine/recover-runs.ts';
import { trimJournal } from '../../engine/trim-journal.ts';

export interface MaintainParts extends ApplyParts {
  readonly lock: HomeLock;
  readonly remember: (memory: MaintenanceMemory) => Promise<void>;
  readonly recall: () => Promise<MaintenanceMemory>;
  /** Closes sessions that nobody ended and nobody uses. Returns how many. */
  readonly closeAbandoned: () => Promise<number>;
  readonly newRunId: () => string;
}

export interface MaintainOptions {
  readonly policy: Policy;
  readonly trashGraceMs: number;
  /** How far passes are apart. */
  readonly intervalMs: number;
  /** Also when the last pass was a moment ago. */
  readonly now?: boolean;
  /** A person looked and lets everything go that waits. */
  readonly allow?: boolean;
  readonly signal?: AbortSignal;
}

/** One unattended pass under the guard: many may start one, one works. */
export async function maintain(parts: MaintainParts, options: MaintainOptions): Promise<MaintenanceReport> {
  const now = parts.clock.now();
  const notDue = await stillWaiting(parts, options);
  if (notDue !== undefined) return notDue;
  const lock = await tryLock(parts.lock);
  if (lock === undefined) return { status: 'busy' };
  using _held = lock;
  // Another process may have made a pass while this one came for the lock.
  const memory = await parts.recall();
  const again = await stillWaiting(parts, options);
  if (again !== undefined) return again;
  // Written first: a pass that crashes must not be tried again at every start.
  await parts.remember({ ...memory, lastAt: now });
  const after = await pass(parts, options, memory);
  await parts.remember({ ...after, lastAt: now });
  return after.report;
}

async function stillWaiting(parts: MaintainParts, options: MaintainOptions): Promise<MaintenanceReport | undefined> {
  if (options.now === true) return undefined;
  const now = parts.clock.now();
  const nextAt = nextDueAt(await parts.recall(), { now, minIntervalMs: options.intervalMs });
  return nextAt > now ? { status: 'not-due', nextAt } : undefined;
}

async function tryLock(lock: HomeLock): Promise<Disposable | undefined> {
  try {
    return await lock.acquire('maintenance', 0);
  } catch (error) {
    if (error instanceof Failure && error.code === 'locked') return undefined;
    throw error;
  }
}

async function pass(
  parts: MaintainParts,
  options: MaintainOptions,
  memory: MaintenanceMemory,
): Promise<MaintenanceMemory & { readonly report: MaintenanceReport }> {
  for await (const _ of recoverRuns(parts));
  const { policy, signal, allow = false } = options;
  const inventory = await parts.driver.scan(signal && { signal });
  // After the scan: what is closed here was open when it was looked at, so no pass closes a session and removes it too.
  const closed = await parts.closeAbandoned();
  const plan = planRetention(inventory, { policy, now: parts.clock.now() });
  const guarded = guardPlan(plan, { inventory, policy, memory, intervalMs: options.intervalMs, allow });
  const trim = !inventory.doubts.includes('clock-suspect');
  const counts = { closed, ...(await apply(parts, guarded.allowed, { ...options, trim })) };
  const { waiting } = guarded;
  const notes = plan.notes.length > 0 && { notes: plan.notes };
  return { ...guarded.memory, report: { status: 'done', ...counts, ...notes, ...(waiting && { waiting }) } };
}

function removals({ decisions }: Plan): number {
  return decisions.filter(isRemoval).length;
}

async function apply(
  parts: MaintainParts,
  plan: Plan,
  options: MaintainOptions & { readonly trim: boolean },
): Promise<Omit<PassCounts, 'closed'>> {
  const counts = { removed: 0, archived: 0, skipped: 0, emptied: 0, forGood: 0 };
  let [ofFiles, comesBack] = [0, false];
  const at = parts.clock.now();
  const runId = parts.newRunId();
  const { trashGraceMs, signal } = options;
  if (removals(plan) > 0) {
    for await (const outcome of applyPlan(parts, plan, { runId, trashGraceMs, ...(signal && { signal }) })) {
      const { action, status, forGood = false } = outcome;
      counts[status === 'skipped' ? status : action === 'archive' ? 'archived' : 'removed'] += 1;
      ofFiles += outcome.freedBytes ?? 0;
      if (status === 'skipped') continue;
      if (outcome.item.kind === 'trash') counts.emptied += 1;
      if (forGood) counts.forGood += 1;
      comesBack ||= action !== 'purge' && !forGood;
    }
  }
  // What it told long ago is forgotten by age, which a clock in doubt cannot say.
  if (options.trim) await trimJournal(parts);
  const freedBytes = Math.max(0, ofFiles + (await parts.driver.giveBack({ signal })));
  const { removed, archived, skipped, emptied, forGood } = counts;
  const some = { ...(emptied > 0 && { emptied }), ...(forGood > 0 && { forGood }), ...(archived > 0 && { archived }) };
  return { at, removed, ...some, skipped, freedBytes, ...(comesBack && { runId }) };
}
