import { createHash } from 'node:crypto';
import { Failure } from '../core/failure.ts';
import type { HomeDriver } from '../core/home-driver.ts';
import type { HomeLock } from '../core/home-lock.ts';
import type { Inventory } from '../core/inventory.ts';
import type { MaintenanceReport } from '../core/maintenance.ts';
import type { Explanation, ItemRef, Plan, PlanRequest } from '../core/plan.ts';
import type { Outcome, Run, RunItem } from '../core/run.ts';
import { type Clock, DAY_MS, MINUTE_MS, SECOND_MS } from '../core/time.ts';
import { applyPlan } from '../engine/apply-plan.ts';
import { purgeItems } from '../engine/purge-run.ts';
import { recoverRuns } from '../engine/recover-runs.ts';
import { undoRun } from '../engine/undo-run.ts';
import { recordClock } from '../homes/native/clock-watch.ts';
import { createNativeDriver } from '../homes/native/native-driver.ts';
import { uuidV7 } from '../platform/uuid-v7.ts';
import { explainItem } from '../policy/explain-item.ts';
import { planRetention } from '../policy/plan-retention.ts';
import { createHomeLock } from '../store/sqlite/sqlite-home-lock.ts';
import type { HomeParts } from './home-parts.ts';
import { maintainHome } from './maintenance.ts';
import { policyFromConfig } from './sessions/session-rules.ts';

/** A saved plan is good for a day: after that the home has moved on. */
const PLAN_LIFETIME_MS = DAY_MS;
/** How long a command waits for another that is changing the home. */
const LOCK_WAIT_MS = 10 * SECOND_MS;

export interface RetentionOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number) => void;
}

export interface ApplyOptions {
  readonly signal?: AbortSignal;
  /** Told what became of each item. */
  readonly onOutcome?: (outcome: Outcome) => void;
}

export interface UndoOptions extends ApplyOptions {
  /** Only these, by the id of what was removed; everything when absent. */
  readonly ids?: readonly string[];
}

export interface AppliedRun {
  readonly run: Run;
  readonly done: number;
  readonly skipped: number;
  readonly freedBytes: number;
}

/** Plans, runs and the trash of one home: the engine with everything it needs. */
export class Retention {
  readonly #parts: HomeParts;
  readonly #driver: HomeDriver;
  readonly #lock: HomeLock;

  constructor(parts: HomeParts) {
    this.#parts = parts;
    const { store, layout, clock, config } = parts;
    const activeGraceMs = config.sessions.active_grace_minutes * MINUTE_MS;
    this.#driver = createNativeDriver({ store, layout, clock, activeGraceMs });
    this.#lock = createHomeLock(layout.lock, {
      set: (purpose) => store.setMeta('lock-holder', `${purpose}, process ${process.pid}`),
      get: () => store.getMeta('lock-holder'),
    });
  }

  /** Everything the home holds. */
  scan(options?: RetentionOptions): Promise<Inventory> {
    return this.#driver.scan(options);
  }

  /** What would be done now, and why. Changes nothing. */
  async plan(request: PlanRequest = { kind: 'policy' }, options?: RetentionOptions): Promise<Plan> {
    return planRetention(await this.scan(options), this.#planOptions(request));
  }

  /** Why one item meets its fate: every rule that was asked. */
  async explain(item: ItemRef): Promise<Explanation | undefined> {
    return explainItem(await this.scan(), item, this.#planOptions({ kind: 'policy' }));
  }

  /** Carries out a plan: nothing more than it says, and only what has not changed since. */
  async apply(plan: Plan, options: ApplyOptions = {}): Promise<AppliedRun> {
    await this.#refuseStale(plan);
    using _lock = await this.#lock.acquire('applying a plan', LOCK_WAIT_MS);
    await this.#recover();
    const { store, clock, config } = this.#parts;
    await recordClock(store, clock.now());
    const runId = uuidV7(clock.now());
    const trashGraceMs = config.trash.grace_days * DAY_MS;
    const applied = applyPlan(this.#engineParts, plan, {
      runId,
      trashGraceMs,
      ...(options.signal && { signal: options.signal }),
    });
    const counts = await count(applied, options);
    const freedBytes = await this.#driver.giveBack();
    return { run: await this.#requireRun(runId), ...counts, freedBytes };
  }

  /** Gives back what a run removed: all of it, or the items with these ids. */
  async undo(runId: string, options: UndoOptions = {}): Promise<AppliedRun> {
    const run = await this.#requireRun(runId);
    using _lock = await this.#lock.acquire('undoing a run', LOCK_WAIT_MS);
    await this.#recover();
    const counts = await count(undoRun(this.#engineParts, run.id, options), options);
    return { run, ...counts, freedBytes: 0 };
  }

  /** Newest first. */
  runs(): AsyncIterable<Run> {
    return this.#parts.store.journal.runs();
  }

  items(runId: string): AsyncIterable<RunItem> {
    return this.#parts.store.journal.items(runId);
  }

  /** Removes what a run put into the trash for good. Cannot be undone. */
  async emptyTrash(runId: string): Promise<{ readonly items: number; readonly freedBytes: number }> {
    await this.#requireRun(runId);
    using _lock = await this.#lock.acquire('emptying the trash', LOCK_WAIT_MS);
    await this.#recover();
    const items: RunItem[] = [];
    for await (const item of this.#parts.store.journal.items(runId, ['trashed'])) items.push(item);
    await purgeItems(this.#engineParts, runId, items);
    return { items: items.length, freedBytes: await this.#driver.giveBack() };
  }

  /** One unattended pass, if one is due: the rules under the guard, expired trash, pages given back. */
  maintain(options: { readonly signal?: AbortSignal } = {}): Promise<MaintenanceReport> {
    return maintainHome(this.#parts, { driver: this.#driver, lock: this.#lock, ...options });
  }

  /** Finishes what a crash cut short. Whoever changes the home does it first. */
  async #recover(): Promise<void> {
    for await (const _ of recoverRuns(this.#engineParts));
  }

  async #refuseStale(plan: Plan): Promise<void> {
    const { store, clock } = this.#parts;
    if (plan.home.id !== (await store.getMeta('home-id'))) {
      throw new Failure('refused', 'This plan was made for another home.', {
        hint: 'Make a new one with: coppice plan',
      });
    }
    if (clock.now() - plan.madeAt > PLAN_LIFETIME_MS) {
      throw new Failure('refused', 'This plan is more than a day old.', { hint: 'Make a new one with: coppice plan' });
    }
  }

  async #requireRun(id: string): Promise<Run> {
    const run = await this.#parts.store.journal.run(id);
    if (run !== undefined) return run;
    throw new Failure('not-found', `There is no run ${id}.`, { hint: 'List them with: coppice runs' });
  }

  get #engineParts(): { driver: HomeDriver; journal: HomeParts['store']['journal']; clock: Clock } {
    const { store, clock } = this.#parts;
    return { driver: this.#driver, journal: store.journal, clock };
  }

  #planOptions(request: PlanRequest) {
    return { policy: policyFromConfig(this.#parts.config), now: this.#parts.clock.now(), request };
  }
}

/** A name for a plan that says exactly what it is: the same decisions, the same id. */
export function planId(plan: Plan): string {
  return createHash('sha256').update(JSON.stringify(plan)).digest('hex').slice(0, 16);
}

async function count(outcomes: AsyncIterable<Outcome>, { onOutcome }: ApplyOptions) {
  const counts = { done: 0, skipped: 0 };
  for await (const outcome of outcomes) {
    counts[outcome.status] += 1;
    onOutcome?.(outcome);
  }
  return counts;
}
