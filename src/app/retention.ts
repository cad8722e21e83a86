import type { ReclaimOptions } from '../checkpoints/reclaim-store.ts';
import { noSuchSession } from '../core/check-session.ts';
import { Failure } from '../core/failure.ts';
import type { HomeDriver } from '../core/home-driver.ts';
import type { HomeLock } from '../core/home-lock.ts';
import type { Inventory } from '../core/inventory.ts';
import type { MaintenanceReport } from '../core/maintenance.ts';
import type { Decision, Explanation, ItemRef, Plan, PlanRequest } from '../core/plan.ts';
import type { Outcome, Run, RunItem } from '../core/run.ts';
import type { SessionStore } from '../core/session-store.ts';
import { type Clock, DAY_MS, MINUTE_MS, SECOND_MS } from '../core/time.ts';
import { applyPlan } from '../engine/apply-plan.ts';
import { purgeRun } from '../engine/purge-run.ts';
import { recoverRuns } from '../engine/recover-runs.ts';
import { trimJournal } from '../engine/trim-journal.ts';
import { undoRun } from '../engine/undo-run.ts';
import { recordClock } from '../homes/native/clock-watch.ts';
import { createNativeDriver } from '../homes/native/native-driver.ts';
import { keepBallast, releaseBallast } from '../platform/ballast.ts';
import { freeBytes } from '../platform/file-system-facts.ts';
import { ifPossible } from '../platform/if-possible.ts';
import { uuidV7 } from '../platform/uuid-v7.ts';
import { explainItem } from '../policy/explain-item.ts';
import { planRetention } from '../policy/plan-retention.ts';
import { createHomeLock } from '../store/sqlite/sqlite-home-lock.ts';
import { rememberApplied, wasApplied } from './applied-plans.ts';
import { checkpointInventory } from './checkpoint-inventory.ts';
import { unmatchedNames } from './config/unmatched-names.ts';
import { noSuchRun } from './find-run.ts';
import { hermesHomeDriver, reclaimForeign } from './hermes/hermes-home-driver.ts';
import { homeDriver, reclaimCheckpoints } from './home-driver.ts';
import type { HomeParts } from './home-parts.ts';
import { type MaintenanceOptions, maintainHome } from './maintenance.ts';
import { planId } from './plan-id.ts';
import { policyFromConfig } from './policy-from-config.ts';
import { foreignNotes } from './refuse-foreign.ts';

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
  /** How much more the disk has now. What went into the trash is still there, and counts once it is emptied. */
  readonly freedBytes: number;
}

export interface EmptiedTrash {
  readonly items: number;
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
    this.#driver =
      parts.foreign === undefined
        ? homeDriver(parts, createNativeDriver({ store, layout, clock, activeGraceMs, codec: config.archive.codec }))
        : hermesHomeDriver(parts, parts.foreign);
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
    const inventory = (await checkpointInventory(this.#parts, request)) ?? (await this.scan(options));
    const plan = planRetention(inventory, this.#planOptions(request));
    // A person who names sessions has seen them; everything else goes by rules, and a slip in those is worth knowing first.
    const slips = request.kind === 'delete' ? [] : unmatchedNames(this.#parts.config, inventory);
    return { ...plan, notes: [...foreignNotes(this.#parts), ...plan.notes, ...slips] };
  }

  /** Why one item meets its fate: every rule that was asked. */
  async explain(item: ItemRef): Promise<Explanation | undefined> {
    return explainItem(await this.scan(), item, this.#planOptions({ kind: 'policy' }));
  }

  /** Carries out a plan: nothing more than it says, only what has not changed since, and nothing that is excepted. */
  async apply(
    plan: Plan,
    options: ApplyOptions & { readonly except?: ReadonlySet<Decision> } = {},
  ): Promise<AppliedRun> {
    await this.#refuseStale(plan);
    return this.change('applying a plan', async () => {
      const { store, clock, config } = this.#parts;
      await recordClock(store, clock.now());
      const runId = uuidV7(clock.now());
      const trashGraceMs = config.trash.grace_days * DAY_MS;
      const { signal, except } = options;
      const before = await store.trash.sizeBytes();
      const decisions = plan.decisions.filter((decision) => except?.has(decision) !== true);
      const applied = applyPlan(
        this.#engineParts,
        { ...plan, decisions },
        { runId, trashGraceMs, ...(signal && { signal }) },
      );
      const counts = await count(applied, options);
      const { madeAt } = plan;
      await rememberApplied(store, { id: planId(plan), madeAt, since: clock.now() - PLAN_LIFETIME_MS });
      await trimJournal(this.#engineParts);
      const freedBytes = await this.#freed(counts.freedBytes, before);
      return { run: await this.#requireRun(runId), ...counts, freedBytes };
    });
  }

  /** Gives back what a run removed: all of it, or the items with these ids. */
  async undo(runId: string, options: UndoOptions = {}): Promise<AppliedRun> {
    const run = await this.#requireRun(runId);
    return this.change('undoing a run', async () => {
      const counts = await count(undoRun(this.#engineParts, run.id, options), options);
      return { run, ...counts };
    });
  }

  /** Brings archived sessions back, by their whole ids. Each is given back by the run that archived it. */
  async restore(ids: readonly string[], options: ApplyOptions = {}): Promise<Pick<AppliedRun, 'done' | 'skipped'>> {
    const byRun = await archivedByRun(this.#parts.store, ids);
    const restored = { done: 0, skipped: 0 };
    for (const [runId, archived] of byRun) {
      const { done, skipped } = await this.undo(runId, { ...options, ids: archived });
      restored.done += done;
      restored.skipped += skipped;
    }
    return restored;
  }

  /** Finishes what a crash cut short and lays in the reserve for a full disk, as every change of the home does. */
  async settle(): Promise<void> {
    await this.change('finishing what was cut short', async () => undefined);
  }

  /** Newest first. */
  runs(): AsyncIterable<Run> {
    return this.#parts.store.journal.runs();
  }

  items(runId: string): AsyncIterable<RunItem> {
    return this.#parts.store.journal.items(runId);
  }

  /** Removes what a run put into the trash for good. Cannot be undone. What could not be removed is `skipped`. */
  async emptyTrash(runId: string): Promise<EmptiedTrash> {
    await this.#requireRun(runId);
    return this.change('emptying the trash', async () => {
      const before = await this.#parts.store.trash.sizeBytes();
      const outcomes = await purgeRun(this.#engineParts, runId);
      const done = outcomes.filter((outcome) => outcome.status === 'done');
      const ofFiles = done.reduce((sum, { freedBytes = 0 }) => sum + freedBytes, 0);
      const freedBytes = await this.#freed(ofFiles, before);
      return { items: done.length, skipped: outcomes.length - done.length, freedBytes };
    });
  }

  /** Gives the space of checkpoints that are gone for good back to the disk, and packs the others. Returns how many bytes. */
  reclaimCheckpoints(options?: ReclaimOptions): Promise<number> {
    const { foreign } = this.#parts;
    return this.change('giving space back', () =>
      foreign === undefined ? reclaimCheckpoints(this.#parts, options) : reclaimForeign(this.#parts, foreign.path),
    );
  }

  /** One unattended pass, if one is due: the rules under the guard, expired trash, pages given back. */
  async maintain(options: MaintenanceOptions = {}): Promise<MaintenanceReport> {
    await this.#parts.foreign?.prepare();
    makeRoom(this.#parts);
    const report = await maintainHome(this.#parts, { driver: this.#driver, lock: this.#lock, ...options });
    this.#keepReserve();
    return report;
  }

  /** Alone, with room to write, and after finishing what a crash cut short. */
  async change<T>(purpose: string, work: () => Promise<T>): Promise<T> {
    await this.#parts.foreign?.prepare();
    makeRoom(this.#parts);
    using _lock = await this.#lock.acquire(purpose, LOCK_WAIT_MS);
    for await (const _ of recoverRuns(this.#engineParts));
    const result = await work();
    this.#keepReserve();
    return result;
  }

  /** What the disk has more after a step: its files, and pages of the database beyond those that the step itself took. */
  async #freed(ofFiles: number, sizeBefore: number): Promise<number> {
    const grown = (await this.#parts.store.trash.sizeBytes()) - sizeBefore;
    return Math.max(0, ofFiles + (await this.#driver.giveBack()) - grown);
  }

  #keepReserve(): void {
    const { layout, config } = this.#parts;
    const { ballast_mb: megabytes } = config.disk;
    if (megabytes === 'never') return;
    // The work is done, and otherwise the next change lays the reserve in.
    ifPossible(() => keepBallast(layout.ballast, megabytes * 1024 * 1024));
  }

  async #refuseStale(plan: Plan): Promise<void> {
    const { store, clock } = this.#parts;
    if (plan.home.id !== (this.#parts.foreign?.path ?? (await store.getMeta('home-id')))) {
      throw new Failure('refused', 'This plan was made for another home.', {
        hint: 'Make a new one with: coppice plan',
      });
    }
    if (clock.now() - plan.madeAt > PLAN_LIFETIME_MS) {
      throw new Failure('refused', 'This plan is more than a day old.', { hint: 'Make a new one with: coppice plan' });
    }
    if (await wasApplied(store, planId(plan))) {
      throw new Failure('refused', 'This plan was applied already. A plan is good for one time.', {
        hint: 'Nothing was changed. Make a new one with: coppice plan',
      });
    }
  }

  async #requireRun(id: string): Promise<Run> {
    const run = await this.#parts.store.journal.run(id);
    if (run !== undefined) return run;
    throw noSuchRun(id);
  }

  get #engineParts(): { driver: HomeDriver; journal: HomeParts['store']['journal']; clock: Clock } {
    const { store, clock } = this.#parts;
    return { driver: this.#driver, journal: store.journal, clock };
  }

  #planOptions(request: PlanRequest) {
    return { policy: policyFromConfig(this.#parts.config), now: this.#parts.clock.now(), request };
  }
}

/** Less free than this, and the database may be unable to write even what it needs to delete. */
const TIGHT_BYTES = 8 * 1024 * 1024;

function makeRoom({ layout }: HomeParts): void {
  if (freeBytes(layout.root) < TIGHT_BYTES) releaseBallast(layout.ballast);
}

/** The ids by the run that archived them. Refuses all of them when one is not in the archive. */
async function archivedByRun(store: SessionStore, ids: readonly string[]): Promise<ReadonlyMap<string, string[]>> {
  const byRun = new Map<string, string[]>();
  for (const id of new Set(ids)) {
    const archived = await store.archive.get(id);
    if (archived === undefined) throw await notArchived(store, id);
    byRun.set(archived.runId, [...(byRun.get(archived.runId) ?? []), id]);
  }
  return byRun;
}

async function notArchived(store: SessionStore, id: string): Promise<Failure> {
  if ((await store.get(id)) === undefined) return noSuchSession(id);
  return new Failure('refused', `Session ${id} is not archived.`, {
    hint: 'Nothing was restored. See what is archived with: coppice sessions list --archived',
  });
}

async function count(outcomes: AsyncIterable<Outcome>, { onOutcome }: ApplyOptions) {
  const counts = { done: 0, skipped: 0, freedBytes: 0 };
  for await (const outcome of outcomes) {
    counts[outcome.status] += 1;
    counts.freedBytes += outcome.freedBytes ?? 0;
    onOutcome?.(outcome);
  }
  return counts;
}
