import type { ReclaimOptions } from '../../checkpoints/reclaim/reclaim-store.ts';
import type { HomeDriver, ScanOptions } from '../../core/retention/home-driver.ts';
import type { Inventory } from '../../core/retention/inventory.ts';
import type { MaintenanceReport } from '../../core/retention/maintenance.ts';
import { type Explanation, type ItemRef, type Plan, type PlanRequest, withWayBack } from '../../core/retention/plan.ts';
import type { Outcome, Run, RunItem } from '../../core/retention/run.ts';
import type { GiveBackOptions } from '../../core/stores/session-trash.ts';
import { type Clock, DAY_MS, type EpochMs, SECOND_MS } from '../../core/time.ts';
import { unlessFailure } from '../../core/unless-failure.ts';
import { applyPlan } from '../../engine/apply-plan.ts';
import { type EmptiedRun, type EmptiedTrash, emptied, purgeExpired } from '../../engine/purge-expired.ts';
import { purgeRun } from '../../engine/purge-run.ts';
import type { RecoveredRun } from '../../engine/recover-runs.ts';
import { trimJournal } from '../../engine/trim-journal.ts';
import { undoRun } from '../../engine/undo-run.ts';
import { recordClock, refuseDoubtfulClock } from '../../keeping/liveness/clock-watch.ts';
import { uuidV7 } from '../../platform/machine/uuid-v7.ts';
import { explainItem } from '../../policy/explain-item.ts';
import { planRetention } from '../../policy/plan-retention.ts';
import { checkpointInventory } from '../checkpoints/checkpoint-inventory.ts';
import { checkpointsOf } from '../checkpoints/checkpoints-of.ts';
import { unmatchedNames } from '../config/unmatched-names.ts';
import { removeHomeLeftovers } from '../doctor/remove-leftovers.ts';
import { driverOf } from '../driver-of.ts';
import type { HomeParts } from '../home-parts.ts';
import { type MaintenanceOptions, maintainHome } from '../maintenance/maintenance.ts';
import { holdMaintenance } from '../maintenance/maintenance-memory.ts';
import { orNoRoom } from '../no-room.ts';
import { configNotes, refuseBadConfig } from '../refusals/refuse-bad-config.ts';
import { foreignNotes } from '../refusals/refuse-foreign.ts';
import { refuseUnknownFacts } from '../refusals/refuse-unknown-facts.ts';
import { keepReserve, makeRoom } from '../reserve.ts';
import { rememberApplied } from './applied-plans.ts';
import { archivedByRun } from './archived-by-run.ts';
import { countOutcomes } from './count-outcomes.ts';
import { requireRun } from './find-run.ts';
import { type EmptyOptions, forgetRun } from './forget-run.ts';
import { keepingUsage } from './keeping-usage.ts';
import { inTrash, lacksRoom, makeRoomFromTrash } from './give-up-trash.ts';
import { givenBackBy } from './given-back-by.ts';
import { hasExpired } from './has-expired.ts';
import { isUnfinished } from './is-unfinished.ts';
import { OwnDecisions } from './own-decisions.ts';
import { planId } from './plan-id.ts';
import { narrowed } from './narrowed.ts';
import { policyFromConfig } from './policy-from-config.ts';
import { Recovery } from './recovery.ts';
import { PLAN_LIFETIME_MS, refuseStale } from './refuse-stale.ts';
import { withSaidGone } from './said-gone.ts';

/** For so long a command empties what expired in the trash, beside what it was asked for. */
const A_MOMENT_MS = SECOND_MS;
const NOTHING_EMPTIED: EmptiedTrash = { items: 0, skipped: 0, freedBytes: 0 };

/** How long a command waits for another that is changing the home. */
const LOCK_WAIT_MS = 10 * SECOND_MS;

export type RetentionOptions = ScanOptions;

export interface ApplyOptions {
  readonly signal?: AbortSignal;
  /** Told what became of each item. */
  readonly onOutcome?: (outcome: Outcome) => void;
  /** Also what loses its way back, as the plan says. Without it that goes into the trash, and trash in its grace stays. */
  readonly forGood?: boolean;
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

/** Plans, runs and the trash of one home: the engine with everything it needs. */
export class Retention {
  readonly #parts: HomeParts;
  readonly #driver: HomeDriver;
  readonly #own = new OwnDecisions();
  /** Comes before whatever is answered here. */
  readonly recovery: Recovery;

  constructor(parts: HomeParts) {
    this.#parts = parts;
    this.#driver = keepingUsage(driverOf(parts), parts.keepUsage);
    this.recovery = new Recovery(parts, () => this.#engineParts);
  }

  /** Everything the home holds. */
  async scan(options?: RetentionOptions): Promise<Inventory> {
    await this.recovery.first();
    return this.#driver.scan(options);
  }

  /** What would be done now, and why. Changes nothing. */
  async plan(asked: PlanRequest = { kind: 'policy' }, options?: RetentionOptions): Promise<Plan> {
    const request = withSaidGone(asked);
    await this.recovery.first();
    const inventory = (await checkpointInventory(this.#parts, request)) ?? (await this.scan(options));
    if ('filter' in request) refuseUnknownFacts(request.filter, inventory.knows ?? []);
    const plan = planRetention(inventory, this.#planOptions(request));
    // A person who names sessions has seen them; everything else goes by rules, and a slip in those is worth knowing first.
    const slips = request.kind === 'delete' ? [] : unmatchedNames(this.#parts.config, inventory);
    const obstacles = [...foreignNotes(this.#parts, inventory.problems), ...configNotes(this.#parts)];
    const notes = [...obstacles, ...plan.notes, ...slips];
    return this.#own.note({ ...plan, notes, ...(obstacles.length > 0 && { onlyShown: true }) });
  }

  /** The same plan but for these items, and what belongs to them, which stay. Changes nothing. */
  async narrow(plan: Plan, ids: readonly string[]): Promise<Plan> {
    return this.#own.note(narrowed(plan, ids, await this.scan()));
  }

  /** Why one item meets its fate: every rule that was asked. */
  async explain(item: ItemRef): Promise<Explanation | undefined> {
    return explainItem(await this.scan(), item, this.#planOptions({ kind: 'policy' }));
  }

  /** Carries out a plan: nothing more than it says, only what has not changed since, and only what this home itself decides so. */
  async apply(plan: Plan, { signal, onOutcome, forGood }: ApplyOptions = {}): Promise<AppliedRun> {
    await refuseStale(this.#parts, plan);
    const replan = () => this.plan(plan.request, signal && { signal });
    const foreign = await this.#own.foreignTo(plan, { forGood, replan });
    return this.change('applying a plan', async () => {
      const { store, clock, config } = this.#parts;
      const clockIs = await recordClock(store, clock);
      const runId = uuidV7(clock.now());
      const trashGraceMs = config.trash.grace_days * DAY_MS;
      const before = await store.trash.sizeBytes();
      const agreed = { ...plan, decisions: plan.decisions.filter((decision) => !foreign.has(decision)) };
      const applied = applyPlan(this.#engineParts, forGood === true ? agreed : withWayBack(agreed), {
        runId,
        trashGraceMs,
        ...(signal && { signal }),
      });
      const counts = await countOutcomes([applied], onOutcome);
      for (const stale of foreign.stale) {
        const { item, action, sizeBytes } = stale;
        onOutcome?.({ item, action, status: 'skipped', detail: foreign.why(stale), sizeBytes });
      }
      const { madeAt } = plan;
      await rememberApplied(store, { id: planId(plan), madeAt, since: clock.now() - PLAN_LIFETIME_MS });
      if (clockIs === 'trusted') await trimJournal(this.#engineParts);
      const freedBytes = await this.#freed(counts.freedBytes, before);
      const skipped = counts.skipped + foreign.stale.length;
      return { run: await requireRun(this.#parts.store.journal, runId), ...counts, skipped, freedBytes };
    });
  }

  /** Gives back what a run removed: all of it, or the items with these ids. */
  async undo(runId: string, options: UndoOptions = {}): Promise<AppliedRun> {
    const run = await requireRun(this.#parts.store.journal, runId);
    return this.change('undoing a run', async (recovered) => {
      // An undo of it that was cut short is part of this one.
      const before = givenBackBy(recovered, { runId, ...options });
      const counts = await countOutcomes([before, undoRun(this.#engineParts, run.id, options)], options.onOutcome);
      return { run, ...counts };
    });
  }

  /** Brings archived sessions back, by their whole ids. Each is given back by the run that archived it. */
  async restore(ids: readonly string[], options: ApplyOptions = {}): Promise<Pick<AppliedRun, 'done' | 'skipped'>> {
    const before = givenBackBy(await this.recover(), { ids });
    const restored = await countOutcomes([before], options.onOutcome);
    const back = new Set(before.map(({ item }) => item.id));
    const left = ids.filter((id) => !back.has(id));
    const byRun = await archivedByRun(this.#parts.store, left);
    for (const [runId, archived] of byRun) {
      const { done, skipped } = await this.undo(runId, { ...options, ids: archived });
      restored.done += done;
      restored.skipped += skipped;
    }
    return { done: restored.done, skipped: restored.skipped };
  }

  /** Finishes what a crash cut short and lays in the reserve for a full disk, as every change of the home does. */
  async settle(): Promise<void> {
    await this.change('finishing what was cut short', async () => undefined);
  }

  /** Finishes what a crash cut short, before something is chosen by what is there. Fails where that cannot be done now. */
  async recover(): Promise<readonly RecoveredRun[]> {
    if (!(await isUnfinished(this.#parts))) return [];
    return this.change('finishing what was cut short', async (recovered) => recovered);
  }

  /** Newest first. */
  async *runs(): AsyncGenerator<Run> {
    await this.recovery.first();
    yield* this.#parts.store.journal.runs();
  }

  async *items(runId: string): AsyncGenerator<RunItem> {
    await this.recovery.first();
    yield* this.#parts.store.journal.items(runId);
  }

  /** Removes what a run put into the trash for good. Cannot be undone. What could not be removed is `skipped`. */
  async emptyTrash(runId: string, { forget = false, expired = false }: EmptyOptions = {}): Promise<EmptiedRun> {
    await requireRun(this.#parts.store.journal, runId);
    const { store, clock } = this.#parts;
    const purgedBytes = async () => (await store.journal.totals(runId)).purged?.sizeBytes ?? 0;
    const purgedBefore = await purgedBytes();
    if (expired) await refuseDoubtfulClock(store, clock);
    const before = await store.trash.sizeBytes();
    const work = async (recovered: readonly RecoveredRun[]) => {
      // What an earlier purge had begun is ended by the recovery that comes before every change, and counts too.
      const purged = recovered.filter((each) => each.runId === runId).flatMap((each) => each.purged);
      const wanted = emptied(purged).items + (await inTrash(store, runId));
      const { freedBytes } = emptied(await purgeRun(this.#engineParts, runId));
      const sizeBytes = (await purgedBytes()) - purgedBefore;
      if (forget) await forgetRun(this.#parts, runId);
      const skipped = await inTrash(store, runId);
      const freed = await this.#freed(freedBytes, before, { erase: true });
      return { items: wanted - skipped, skipped, sizeBytes, freedBytes: freed };
    };
    return this.change('emptying the trash', work, [runId]);
  }

  /** Removes for good what can no longer be undone, as everybody does who changes the home. */
  async emptyExpired(signal?: AbortSignal): Promise<EmptiedTrash> {
    if (!(await hasExpired(this.#parts)) && !(await this.#parts.store.trash.owesSpace())) return NOTHING_EMPTIED;
    return this.change('emptying the trash', () => this.#emptyExpired(signal));
  }

  async #emptyExpired(signal?: AbortSignal): Promise<EmptiedTrash> {
    const { trash } = this.#parts.store;
    const expired = await hasExpired(this.#parts);
    // An earlier purge may have been stopped before all of it was given back.
    if (!expired && !(await trash.owesSpace())) return NOTHING_EMPTIED;
    const before = await trash.sizeBytes();
    const result = expired ? await purgeExpired(this.#engineParts, signal) : NOTHING_EMPTIED;
    return { ...result, freedBytes: await this.#freed(result.freedBytes, before, { signal }) };
  }

  /** Gives the space of checkpoints that are gone for good back to the disk, and packs the others. Returns how many bytes. */
  reclaimCheckpoints(options?: ReclaimOptions): Promise<number> {
    return this.change('giving space back', () => checkpointsOf(this.#parts).reclaim(options));
  }

  /** One unattended pass, if one is due: the rules under the guard, expired trash, pages given back. */
  async maintain(options: MaintenanceOptions = {}): Promise<MaintenanceReport> {
    refuseBadConfig(this.#parts);
    await this.#parts.foreign?.prepare();
    const released = makeRoom(this.#parts);
    const report = await orNoRoom(this.#parts, async () => {
      if (lacksRoom(this.#parts)) await this.settle();
      return maintainHome(this.#parts, { driver: this.#driver, lock: this.recovery.lock, engine: this, ...options });
    });
    if (report.status === 'done') await removeHomeLeftovers(this.#parts);
    await keepReserve(this.#parts, released);
    return report;
  }

  /** Holds whatever unattended passes would remove, or lets it go on after a new notice. Says since when it is held. */
  hold(held: boolean): Promise<{ readonly heldSince?: EpochMs }> {
    return this.change('holding what would go', () => holdMaintenance(this.#parts, held));
  }

  /** Alone, with room to write, and after finishing what a crash cut short. Trash that `goes` may be what makes the room. */
  async change<T>(
    purpose: string,
    work: (recovered: readonly RecoveredRun[]) => Promise<T>,
    goes: readonly string[] = [],
  ): Promise<T> {
    refuseBadConfig(this.#parts);
    await this.#parts.foreign?.prepare();
    const released = makeRoom(this.#parts);
    using _lock = await this.recovery.lock.acquire(purpose, LOCK_WAIT_MS);
    const result = await orNoRoom(this.#parts, async () => {
      await makeRoomFromTrash(this.#parts, goes);
      return work(await this.recovery.finish());
    });
    // What the person asked for is done either way; whoever comes next goes on with what is left.
    await this.#emptyExpired(AbortSignal.timeout(A_MOMENT_MS)).catch(unlessFailure);
    await keepReserve(this.#parts, released);
    return result;
  }

  /** What the disk has more after a step: its files, and pages of the database beyond those that the step itself took. */
  async #freed(ofFiles: number, sizeBefore: number, options?: GiveBackOptions): Promise<number> {
    const grown = (await this.#parts.store.trash.sizeBytes()) - sizeBefore;
    return Math.max(0, ofFiles + (await this.#driver.giveBack(options)) - grown);
  }

  get #engineParts(): { driver: HomeDriver; journal: HomeParts['store']['journal']; clock: Clock } {
    const { store, clock } = this.#parts;
    return { driver: this.#driver, journal: store.journal, clock };
  }

  #planOptions(request: PlanRequest) {
    return { policy: policyFromConfig(this.#parts.config), now: this.#parts.clock.now(), request };
  }
}
