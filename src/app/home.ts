import { errorText } from '../core/error-text.ts';
import type { MaintenanceReport } from '../core/maintenance.ts';
import type { Explanation, Plan, PlanRequest } from '../core/plan.ts';
import type { Problem } from '../core/problem.ts';
import type { CheckOptions, HomeCheck } from './check-home.ts';
import { Checkpoints } from './checkpoints.ts';
import type { Config } from './config/config-schema.ts';
import type { Configuration } from './config/configuration.ts';
import { Gateway } from './gateway/gateway.ts';
import type { Scheduler } from './gateway/scheduler.ts';
import type { ForeignHome, HomeParts } from './home-parts.ts';
import { ownHome } from './home-path.ts';
import type { HomeStatus } from './home-status.ts';
import { nextMaintenanceAt } from './maintenance-memory.ts';
import { refuseForeign } from './refuse-foreign.ts';
import type { RepairStep } from './repair-home.ts';
import type { AppliedRun, ApplyOptions, Retention, RetentionOptions, UndoOptions } from './retention.ts';
import { Sessions } from './sessions/sessions.ts';

/** What became of a pass in the background. */
export type BackgroundReport =
  | MaintenanceReport
  | { readonly status: 'off' }
  | { readonly status: 'failed'; readonly error: string };

/** An open home. It owns the database connection, so it must be closed. */
export class Home implements AsyncDisposable {
  readonly path: string;
  readonly config: Config;
  /** Where the settings come from. */
  readonly configuration: Configuration;
  readonly sessions: Sessions;
  readonly checkpoints: Checkpoints;
  /** Where a plan waits until it is applied. Nothing is written to the home of another agent for one. */
  readonly plansHome: string;
  /** What is different about a home that another agent writes; undefined for a home of Coppice. */
  readonly foreign: ForeignHome | undefined;
  readonly #gateway: Gateway;
  readonly #parts: HomeParts;
  #retention: Retention | undefined;
  #scheduler: Scheduler | undefined;

  constructor(parts: HomeParts) {
    this.path = parts.foreign?.path ?? parts.layout.root;
    this.plansHome = parts.foreign === undefined ? this.path : ownHome();
    this.foreign = parts.foreign;
    this.config = parts.config;
    this.configuration = parts.configuration;
    this.sessions = new Sessions(parts);
    this.checkpoints = new Checkpoints(parts, () => this.retention());
    this.#gateway = new Gateway(parts);
    this.#parts = parts;
  }

  /** Live sessions. A home of another agent has none of them. */
  get gateway(): Gateway {
    refuseForeign(this.#parts);
    return this.#gateway;
  }

  /** Looks at the database, the search index and every file, and names what is wrong. Changes nothing. */
  async *check(options?: CheckOptions): AsyncGenerator<HomeCheck> {
    if (this.#parts.foreign === undefined) {
      const { checkHome } = await import('./check-home.ts');
      yield* checkHome(this.#parts, options);
    } else {
      const { checkHermesHome } = await import('./hermes/check-hermes-home.ts');
      yield* checkHermesHome(this.#parts, this.#parts.foreign, options);
    }
  }

  /**
   * Repairs what `check` found, as far as that is provably safe, and tells each step before and after. Removes nothing that
   * anybody wrote.
   */
  async *repair(problems: readonly Problem[]): AsyncGenerator<RepairStep> {
    refuseForeign(this.#parts);
    const { repairHome } = await import('./repair-home.ts');
    const settle = async () => (await this.retention()).settle();
    yield* repairHome({ ...this.#parts, settle }, problems);
  }

  /** What the home keeps, what protects it, and what the rules would let go of now. Changes nothing. */
  async status(options?: RetentionOptions): Promise<HomeStatus> {
    const { homeStatus } = await import('./home-status.ts');
    const retention = await this.retention();
    return homeStatus({ ...this.#parts, retention, nextMaintenanceAt: await this.nextMaintenanceAt() }, options);
  }

  /** Why one item meets its fate, by its id: every rule that was asked. Sessions and checkpoints also by its first characters. */
  async explain(id: string): Promise<Explanation> {
    const { explainById } = await import('./explain-by-id.ts');
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
    const { Retention } = await import('./retention.ts');
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

  /** When the next unattended pass is due; undefined when they are switched off. */
  nextMaintenanceAt(): Promise<number | undefined> {
    return nextMaintenanceAt(this.#parts);
  }

  /**
   * The start-up hook for host programs: one unattended pass in the background when `sessions.auto_prune` is on and one is due.
   * It never delays or disturbs its host; the promise tells what happened, and never rejects.
   */
  async maintainInBackground(options?: { readonly signal?: AbortSignal }): Promise<BackgroundReport> {
    try {
      const dueAt = await nextMaintenanceAt(this.#parts);
      if (dueAt === undefined) return { status: 'off' };
      if (dueAt > this.#parts.clock.now()) return { status: 'not-due', nextAt: dueAt };
      // The host comes first: whatever it does in this turn of the event loop is done before the pass begins.
      await new Promise((resolve) => setImmediate(resolve));
      return await (await this.retention()).maintain(options);
    } catch (error) {
      return { status: 'failed', error: errorText(error) };
    }
  }

  async close(): Promise<void> {
    this.#gateway[Symbol.dispose]();
    try {
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
