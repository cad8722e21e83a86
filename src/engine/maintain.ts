import { Failure } from '../core/failure.ts';
import type { HomeLock } from '../core/home-lock.ts';
import type { Inventory } from '../core/inventory.ts';
import { type MaintenanceMemory, type MaintenanceReport, nextDueAt, type PassCounts } from '../core/maintenance.ts';
import { isRemoval, type Plan } from '../core/plan.ts';
import type { Policy } from '../core/policy.ts';
import { guardPlan } from '../policy/guard-plan.ts';
import { planRetention } from '../policy/plan-retention.ts';
import { type ApplyParts, applyPlan } from './apply-plan.ts';
import { recoverRuns } from './recover-runs.ts';
import { trimJournal } from './trim-journal.ts';

export interface MaintainParts extends ApplyParts {
  readonly lock: HomeLock;
  readonly remember: (memory: MaintenanceMemory) => Promise<void>;
  readonly recall: () => Promise<MaintenanceMemory>;
  /** Closes sessions that a crash left open. Returns how many. */
  readonly closeAbandoned: () => Promise<number>;
  readonly newRunId: () => string;
}

export interface MaintainOptions {
  readonly policy: Policy;
  readonly trashGraceMs: number;
  readonly minIntervalMs: number;
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
  const report = await pass(parts, options, memory);
  await parts.remember({ lastAt: now, policy: options.policy, report });
  return report;
}

async function stillWaiting(parts: MaintainParts, options: MaintainOptions): Promise<MaintenanceReport | undefined> {
  const now = parts.clock.now();
  const nextAt = nextDueAt(await parts.recall(), { now, minIntervalMs: options.minIntervalMs });
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
): Promise<MaintenanceReport> {
  for await (const _ of recoverRuns(parts));
  const closed = await parts.closeAbandoned();
  const inventory = await parts.driver.scan(options.signal && { signal: options.signal });
  const plan = planRetention(inventory, { policy: options.policy, now: parts.clock.now() });
  const verdict = guardPlan(plan, { inventory, policy: options.policy, ...guardFacts(inventory, options, memory) });
  const allowed = verdict.status === 'ok' ? plan : onlyLeftovers(plan);
  const counts = { closed, ...(await apply(parts, allowed, options)) };
  if (verdict.status === 'ok') return { status: 'done', ...counts };
  const held = removals(plan) - removals(allowed);
  return { status: 'announced', reasons: verdict.reasons, held, ...counts };
}

/** On the first pass there is nothing to compare with; later, the rules of the last pass say whether they became stricter. */
function guardFacts(inventory: Inventory, { policy }: MaintainOptions, memory: MaintenanceMemory) {
  if (memory.policy === undefined) return { firstRun: true };
  if (JSON.stringify(memory.policy) === JSON.stringify(policy)) return {};
  return { previousPlan: planRetention(inventory, { policy: memory.policy, now: inventory.scannedAt }) };
}

/** What may go whatever the guard says: trash that has had its grace, and what interrupted writes left. */
function onlyLeftovers(plan: Plan): Plan {
  const decisions = plan.decisions.filter(({ item }) => item.kind === 'trash' || item.kind === 'debris');
  return { ...plan, decisions };
}

function removals({ decisions }: Plan): number {
  return decisions.filter(isRemoval).length;
}

async function apply(parts: MaintainParts, plan: Plan, options: MaintainOptions): Promise<Omit<PassCounts, 'closed'>> {
  const counts = { removed: 0, archived: 0, skipped: 0 };
  let ofFiles = 0;
  const at = parts.clock.now();
  const runId = parts.newRunId();
  const { trashGraceMs, signal } = options;
  const something = removals(plan) > 0;
  if (something) {
    for await (const outcome of applyPlan(parts, plan, { runId, trashGraceMs, ...(signal && { signal }) })) {
      const { action, status } = outcome;
      counts[status === 'skipped' ? status : action === 'archive' ? 'archived' : 'removed'] += 1;
      ofFiles += outcome.freedBytes ?? 0;
    }
  }
  await trimJournal(parts);
  const freedBytes = Math.max(0, ofFiles + (await parts.driver.giveBack()));
  const { removed, archived, skipped } = counts;
  return { at, removed, ...(archived > 0 && { archived }), skipped, freedBytes, ...(something && { runId }) };
}
