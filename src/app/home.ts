import type { MaintenanceReport } from '../core/maintenance.ts';
import type { Plan, PlanRequest } from '../core/plan.ts';
import type { CheckOptions, HomeCheck } from './check-home.ts';
import type { Config } from './config/config-schema.ts';
import type { HomeParts } from './home-parts.ts';
import { nextMaintenanceAt } from './maintenance-memory.ts';
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
  readonly sessions: Sessions;
  readonly #parts: HomeParts;
  #retention: Retention | undefined;

  constructor(parts: HomeParts) {
    this.path = parts.layout.root;
    this.config = parts.config;
    this.sessions = new Sessions(parts);
    this.#parts = parts;
  }

  /** Looks at the database, the search index and every file, and names what is wrong. Changes nothing. */
  async *check(options?: CheckOptions): AsyncGenerator<HomeCheck> {
    const { checkHome } = await import('./check-home.ts');
    yield* checkHome(this.#parts, options);
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
      return { status: 'failed', error: error instanceof Error ? error.message : String(error) };
    }
  }

  async close(): Promise<void> {
    try {
      await this.#parts.store[Symbol.asyncDispose]();
    } finally {
      this.#parts.transcripts[Symbol.dispose]();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
