import { existsSync } from 'node:fs';
import { errorText } from '../core/error-text.ts';
import type { Problem } from '../core/problem.ts';
import type { MaintenanceMemory } from '../core/retention/maintenance.ts';
import type { Explanation, Plan, PlanRequest } from '../core/retention/plan.ts';
import { isoTime } from '../core/time.ts';
import type { OpenedHome } from '../homes/home-kind.ts';
import { Audit } from './access/audit.ts';
import { Checkpoints } from './checkpoints/checkpoints.ts';
import type { ConfigIssue } from './config/config-issue.ts';
import type { Config } from './config/config-schema.ts';
import type { Configuration } from './config/configuration.ts';
import { Counts } from './counts.ts';
import type { CheckOptions, HomeCheck } from './doctor/check-home.ts';
import type { RepairStep } from './doctor/repair-home.ts';
import { Gateway } from './gateway/gateway.ts';
import type { Scheduler } from './gateway/scheduler.ts';
import type { HomeParts } from './home-parts.ts';
import { ownHome } from './home-path.ts';
import type { HomeStatus } from './home-status.ts';
import { Ledger } from './ledger.ts';
import type { HomeOutlook } from './machine/home-outlook.ts';
import type { BackgroundReport } from './maintenance/background-report.ts';
import { nextMaintenanceAt, recallMaintenance } from './maintenance/maintenance-memory.ts';
import type { Rescue, RescueOptions } from './maintenance/rescue.ts';
import { recallTroubles, rememberTroubles, type Trouble } from './maintenance/troubles.ts';
import { Upkeep } from './maintenance/upkeep.ts';
import { refuseBadConfig } from './refusals/refuse-bad-config.ts';
import { refuseForeign } from './refusals/refuse-foreign.ts';
import { Requests } from './requests.ts';
import { isUnfinished } from './retention/is-unfinished.ts';
import type { AppliedRun, ApplyOptions, Retention, RetentionOptions, UndoOptions } from './retention/retention.ts';
import { Sessions } from './sessions/sessions.ts';
import { HomeUsage } from './usage/home-usage.ts';

/** An open home. It owns the database connection, so it must be closed. */
export class Home implements AsyncDisposable {
  readonly path: string;
  readonly config: Config;
  /** Where the settings come from. */
  readonly configuration: Configuration;
  /** What is wrong with them, in a home that was opened for reading. While there is anything, nothing is changed. */
  readonly configIssues: readonly ConfigIssue[];
  /** Nothing can be written in it, so it can only be looked at. */
  readonly onlyRead: boolean;
  readonly sessions: Sessions;
  readonly checkpoints: Checkpoints;
  /** What removed sessions had used. */
  readonly ledger: Ledger;
  /** What all calls of models took that were ever seen. */
  readonly usage: HomeUsage;
  /** What was asked for under a key, so that it can be asked for again. */
  readonly requests: Requests;
  /** Who changed what, over HTTP. */
  readonly audit: Audit;
  /** How long its lists are. */
  readonly counts: Counts;
  /** Where a plan waits until it is applied. Nothing is written to the home of another agent for one. */
  readonly plansHome: string;
  /** What is different about a home that another agent writes; undefined for a home of Coppice. */
  readonly foreign: OpenedHome | undefined;
  readonly #gateway: Gateway;
  readonly #parts: HomeParts;
  readonly #upkeep: Upkeep;
  #closed = false;
  #retention: Retention | undefined;
  #scheduler: Scheduler | undefined;

  constructor(given: HomeParts) {
    this.#upkeep = new Upkeep(given.clock, (signal) => this.#keepUp(signal));
    const parts = {
      ...given,
      upkeep: this.#upkeep,
      settleFirst: () => this.#settleFirst(),
      keepUsage: () => this.usage.keep(),
      forgetUsage: (ids: readonly string[]) => this.usage.forget(ids),
      forgetWords: async (ids: readonly string[]) => (await import('./search/open-index.ts')).forgetWords(given, ids),
    };
    this.path = parts.foreign?.path ?? parts.layout.root;
    this.plansHome = parts.foreign === undefined ? this.path : ownHome();
    this.foreign = parts.foreign;
    this.config = parts.config;
    this.configuration = parts.configuration;
    this.configIssues = parts.configIssues ?? [];
    this.onlyRead = parts.onlyRead ?? false;
    this.sessions = new Sessions(parts);
    this.checkpoints = new Checkpoints(parts, () => this.retention());
    this.ledger = new Ledger(parts);
    this.usage = new HomeUsage(parts);
    this.audit = new Audit(parts);
    this.#gateway = new Gateway(parts, this.checkpoints);
    this.requests = new Requests(parts, this.#gateway.requests);
    this.counts = new Counts(parts);
    this.#parts = parts;
  }

  /** Live sessions. A home of another agent has none of them. */
  get gateway(): Gateway {
    refuseForeign(this.#parts);
    return this.#gateway;
  }

  /** Looks at the database, the search index and every file, and names what is wrong. Changes nothing but what a dead process left. */
  async *check(options?: CheckOptions): AsyncGenerator<HomeCheck> {
    if (this.#parts.foreign === undefined) {
      const { checkHome } = await import('./doctor/check-home.ts');
      yield* checkHome(this.#parts, options);
    } else {
      const { checkForeignHome } = await import('./doctor/check-foreign-home.ts');
      yield* checkForeignHome(this.#parts, this.#parts.foreign, options);
    }
  }

  /**
   * Repairs what `check` found, as far as that is provably safe, and tells each step before and after. Removes nothing that
   * anybody wrote. In a home of another agent that is only what Coppice itself keeps there.
   */
  async *repair(problems: readonly Problem[]): AsyncGenerator<RepairStep> {
    refuseBadConfig(this.#parts);
    const { repairHome } = await import('./doctor/repair-home.ts');
    const settle = async () => (await this.retention()).settle();
    yield* repairHome({ ...this.#parts, settle }, problems);
  }

  /** What the home keeps, what protects it, and what the rules would let go of now. Changes nothing. */
  async status(options?: RetentionOptions): Promise<HomeStatus> {
    const { homeStatus } = await import('./home-status.ts');
    const retention = await this.retention();
    const maintenance = await this.lastMaintenance();
    return homeStatus(
      {
        ...this.#parts,
        retention,
        maintenance,
        nextMaintenanceAt: await this.nextMaintenanceAt(),
        troubles: await recallTroubles(this.#parts.store),
      },
      options,
    );
  }

  /** How it stands beside the other homes of a machine, and what becomes of it by itself. Loaded when it is called. */
  async outlook(): Promise<HomeOutlook> {
    const { homeOutlook } = await import('./machine/home-outlook.ts');
    return homeOutlook(this.#parts, await this.retention());
  }

  /** Why one item meets its fate, by its id: every rule that was asked. Sessions and checkpoints also by its first characters. */
  async explain(id: string): Promise<Explanation> {
    const { explainById } = await import('./retention/explain-by-id.ts');
    return explainById(this.sessions, await this.retention(), id);
  }

  /** What the rules, or a request by hand, would do now, and why. Changes nothing. */
  async plan(request?: PlanRequest, options?: RetentionOptions): Promise<Plan> {
    return (await this.retention()).plan(request, options);
  }

  /** Carries out a plan: nothing more than it says, and only what has not changed since. */
  async apply(plan: Plan, options?: ApplyOptions): Promise<AppliedRun> {
    return (await this.retention()).apply(plan, options);
  }

  /** Gives back what a run removed, until its trash expires. */
  async undo(runId: string, options?: UndoOptions): Promise<AppliedRun> {
    return (await this.retention()).undo(runId, options);
  }

  /** Everything about plans, runs and the trash. Loaded when it is called: most programs only record. */
  async retention(): Promise<Retention> {
    const { Retention } = await import('./retention/retention.ts');
    this.#retention ??= new Retention(this.#parts);
    return this.#retention;
  }

  /** Jobs that run by the clock. Loaded when it is called. */
  async scheduler(): Promise<Scheduler> {
    refuseForeign(this.#parts);
    const { Scheduler } = await import('./gateway/scheduler.ts');
    this.#scheduler ??= new Scheduler(this.#parts, this);
    return this.#scheduler;
  }

  /** What the last unattended pass did and put off. */
  lastMaintenance(): Promise<MaintenanceMemory> {
    return recallMaintenance(this.#parts);
  }

  /** When the next unattended pass is due; undefined when they are switched off. */
  nextMaintenanceAt(): Promise<number | undefined> {
    return nextMaintenanceAt(this.#parts);
  }

  /**
   * Closes sessions that nobody ended and nobody uses, whatever `sessions.auto_prune` says. They can be taken up again, and only
   * from then on they age. Returns how many.
   */
  async closeAbandoned(): Promise<number> {
    const { closeAbandoned } = await import('./maintenance/close-abandoned.ts');
    return closeAbandoned(this.#parts);
  }

  /**
   * The start-up hook for host programs: one unattended pass in the background when `sessions.auto_prune` is on and one is due.
   * What can no longer be undone leaves the trash either way, and the limits of checkpoints are held. It never delays or disturbs its host; the promise tells what
   * happened, and never rejects.
   */
  async maintainInBackground(options?: RescueOptions): Promise<BackgroundReport> {
    try {
      const rescue = await this.#rescue(options);
      const dueAt = await nextMaintenanceAt(this.#parts);
      if (dueAt === undefined || dueAt > this.#parts.clock.now()) {
        const emptied = await (await this.retention()).emptyExpired(options?.signal);
        const checkpoints = await this.checkpoints.keepBounded();
        const passing = { ...(emptied.items + emptied.skipped > 0 && { emptied }), checkpoints, ...rescue };
        return dueAt === undefined ? { status: 'off', ...passing } : { status: 'not-due', nextAt: dueAt, ...passing };
      }
      // The host comes first: whatever it does in this turn of the event loop is done before the pass begins.
      await new Promise((resolve) => setImmediate(resolve));
      return { ...(await (await this.retention()).maintain(options)), ...rescue };
    } catch (error) {
      return { status: 'failed', error: errorText(error) };
    }
  }

  /** What its agent would delete although our rules keep it is saved first. Only homes of other agents need that. */
  async #rescue(options?: RescueOptions): Promise<{ readonly rescue?: Rescue }> {
    if (this.#parts.foreign?.retention === undefined || this.configIssues.length > 0) return {};
    const rescue = await (await this.outlook()).rescue(options);
    return rescue === undefined ? {} : { rescue };
  }

  /** What ends it is loaded only where there is something to end. */
  async #settleFirst(): Promise<readonly string[]> {
    return (await isUnfinished(this.#parts)) ? (await this.retention()).recovery.first() : [];
  }

  async #keepUp(signal: AbortSignal): Promise<void> {
    try {
      const { recordClockNowAndThen } = await import('../keeping/liveness/clock-watch.ts');
      await recordClockNowAndThen(this.#parts.store, this.#parts.clock);
      await this.closeAbandoned();
      const { store, clock } = this.#parts;
      const [first] = await store.journal.inTrash();
      const expired = first !== undefined && first.expiresAt <= clock.now();
      if (!expired && !(await store.trash.owesSpace())) return;
      await (await this.retention()).emptyExpired(signal);
    } catch {
      // Status goes on showing what is open and in the trash, and whoever changes the home next tries again and hears of it.
    }
  }

  /** Whether it has not been closed yet. */
  get isOpen(): boolean {
    return !this.#closed;
  }

  /** Writes a word, waits until it is on the disk, and looks into the databases as if for the first time. Rejects where that fails. */
  async proveWritable(): Promise<void> {
    const { store, clock, layout } = this.#parts;
    await store.setMeta('written', isoTime(clock.now()));
    const { readAfresh } = await import('../store/sqlite/database/read-afresh.ts');
    readAfresh(layout.database);
    if (existsSync(layout.live)) readAfresh(layout.live);
  }

  /** Notes what keeps failing in the background, for the status of any process; an empty list when all is well. */
  noteTroubles(troubles: readonly Trouble[]): Promise<void> {
    return rememberTroubles(this.#parts.store, troubles);
  }

  /** Doing so again changes nothing. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#gateway[Symbol.dispose]();
    try {
      await this.#upkeep.stop();
      await this.checkpoints.settled();
      await this.#parts.store[Symbol.asyncDispose]();
    } finally {
      this.#parts.transcripts[Symbol.dispose]();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
