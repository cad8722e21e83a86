import { Failure } from '../../core/failure.ts';
import type { CronOutcome, CronRun } from '../../core/gateway/cron-book.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Plan, PlanRequest } from '../../core/retention/plan.ts';
import { endedByAccident } from '../../core/sessions/end-reasons.ts';
import type { Message } from '../../core/sessions/message.ts';
import { DAY_MS, type EpochMs, SECOND_MS } from '../../core/time.ts';
import type { CronJob } from '../../gateway/cron/cron-job.ts';
import { type DeliverOutcome, deliverDue } from '../../gateway/cron/deliver.ts';
import { nextSlots } from '../../gateway/cron/due-slots.ts';
import {
  type CronParts,
  type CronTick,
  type EndedRun,
  type JobEnd,
  promiseOutput,
  RUNS_KEPT,
  runDueJobs,
  runJobNow,
} from '../../gateway/cron/run-due-jobs.ts';
import type { RunResult } from '../../gateway/run/run-result.ts';
import { isClockAhead, judgeClock, recordClockNowAndThen } from '../../keeping/liveness/clock-watch.ts';
import type { HomeParts } from '../home-parts.ts';
import { ALERT_JOB } from './budget-alerts.ts';
import { addedJobText, checkedSpec, cronJob, type KnownJob, knownJobs, type NewCronJob } from './cron-jobs.ts';
import type { Gateway } from './gateway.ts';
import { recordedRuns } from './recorded-runs.ts';
import type { AgentRunResult } from './run-agent.ts';
import { withFirstSight } from './seen-jobs.ts';
import { secretly } from './webhook-signer.ts';

/** What arrived or was given up is forgotten after this. */
const DELIVERIES_KEPT_MS = 30 * DAY_MS;
/** Within this time a run that was claimed has a session and a process. */
const STARTING_MS = 10 * SECOND_MS;

export interface TickOptions {
  /** Stops runs politely when aborted. */
  readonly signal?: AbortSignal | undefined;
  /** Told of each run as it ends. */
  readonly onEnded?: (run: EndedRun) => void;
}

/** What became of a job that was run by hand. */
export interface RunByHand extends EndedRun {
  /** How many deliveries are still to be tried again. */
  readonly undelivered: number;
}

/** What the scheduler uses of its home. */
export interface SchedulerHome {
  readonly gateway: Pick<Gateway, 'run' | 'closeOrphans'>;
  plan(request: PlanRequest): Promise<Plan>;
  apply(plan: Plan): Promise<unknown>;
}

/** Jobs that run by the clock: `home.scheduler()`. Several processes may tick at once; each slot is run by one of them. */
export class Scheduler {
  readonly #parts: HomeParts;
  readonly #home: SchedulerHome;
  readonly #since: EpochMs;
  readonly #running = new Set<string>();
  readonly #dealtWith = new Map<string, EpochMs>();

  constructor(parts: HomeParts, home: SchedulerHome) {
    this.#parts = parts;
    this.#home = home;
    this.#since = parts.clock.now();
  }

  jobs(): Promise<readonly KnownJob[]> {
    return knownJobs(this.#parts.config, this.#parts.store);
  }

  /** Adds a job, or replaces one that was added before. Jobs of the configuration are changed there. */
  async add(name: string, given: NewCronJob): Promise<CronJob> {
    const spec = await checkedSpec(name, given);
    const job = cronJob(name, spec);
    if (Object.hasOwn(this.#parts.config.cron.jobs, name)) throw inConfiguration(name);
    await this.#parts.store.cron.saveJob(name, addedJobText(spec, this.#parts.clock.now()));
    return job;
  }

  async remove(name: string): Promise<void> {
    if (Object.hasOwn(this.#parts.config.cron.jobs, name)) throw inConfiguration(name);
    if (!(await this.#parts.store.cron.dropJob(name))) throw noSuchJob(name);
  }

  /** When a job comes next. */
  async next(name: string, count: number): Promise<readonly EpochMs[]> {
    return nextSlots((await this.#find(name)).job, this.#parts.clock.now(), count);
  }

  /** Runs a job now, whatever its schedule says, and delivers its output. */
  async run(name: string, signal?: AbortSignal): Promise<RunByHand> {
    const { job } = await this.#find(name);
    const { max_parallel: most } = this.#parts.config.cron;
    if (this.#running.size >= most) throw tooMany(most);
    const run = await runJobNow(this.#cronParts({ signal }), job, this.#running);
    if (run === undefined) throw startedAlready(name);
    await this.deliver();
    const undelivered = (await this.#parts.store.deliveries.open(run.sessionId)).length;
    return { ...run, undelivered };
  }

  /** Newest first. */
  lastRuns(name: string, count: number): Promise<readonly CronRun[]> {
    return this.#parts.store.cron.runs(name, count);
  }

  /** Starts whatever is due. */
  async tick(options: TickOptions = {}): Promise<CronTick> {
    await this.#settleOver();
    const { store, clock } = this.#parts;
    await recordClockNowAndThen(store, clock);
    // A slot that was claimed years ahead would keep its job from running until then.
    if (await isClockAhead(store, clock)) return NOTHING_STARTED;
    const jobs = await withFirstSight(await this.jobs(), { store, now: clock.now() });
    return runDueJobs(this.#cronParts(options), jobs, this.#running);
  }

  /** Tries what is waiting to be delivered, until the signal says stop, and cleans up after what has arrived. */
  async deliver(signal?: AbortSignal): Promise<DeliverOutcome> {
    const { deliveries } = this.#parts.store;
    const { clock } = this.#parts;
    const outputOf = (sessionId: string) => this.#outputOf(sessionId);
    const sending = secretly(this.#parts.config.webhooks);
    const outcome = await deliverDue({ deliveries, clock, outputOf, signal, ...sending });
    if (outcome.arrived.length > 0) await this.#cleanUp();
    if ((await judgeClock(this.#parts.store, clock)) === 'trusted')
      await deliveries.trim(clock.now() - DELIVERIES_KEPT_MS);
    return outcome;
  }

  /** At the start of a daemon: runs that died with their process are closed, and deliveries whose end nobody saw are tried again. */
  async recover(): Promise<void> {
    await this.#parts.store.deliveries.reclaim();
    await this.#settleOver();
    await this.#cleanUp();
  }

  /** Closes runs whose process died before it could: what ended by itself is delivered, what was cut off is lost. */
  async #settleOver(): Promise<void> {
    const { store, clock } = this.#parts;
    const open = (await store.cron.unfinished()).filter(({ sessionId }) => !this.#running.has(sessionId));
    await this.#home.gateway.closeOrphans();
    if (open.length === 0) return;
    const jobs = new Map((await this.jobs()).map(({ job }) => [job.name, job]));
    const running = new Set((await recordedRuns(store)).map(({ sessionId }) => sessionId));
    for (const run of open) {
      const session = await store.get(run.sessionId);
      const begins = running.has(run.sessionId) || Math.abs(clock.now() - run.startedAt) < STARTING_MS;
      if (session?.endedAt === undefined && begins) continue;
      const outcome = session?.endedAt === undefined ? 'lost' : outcomeOf(session.endReason);
      if (session !== undefined && session.endedAt === undefined) await store.end(run.sessionId, 'crash');
      const job = jobs.get(run.job);
      if (job !== undefined && outcome !== 'lost') await promiseOutput(store.deliveries, job, run.sessionId);
      await store.cron.finish(run, outcome);
    }
  }

  #cronParts({ signal, onEnded }: TickOptions): CronParts {
    const { store, clock, config } = this.#parts;
    return {
      book: store.cron,
      deliveries: store.deliveries,
      clock,
      start: (job, sessionId) => this.#start(job, sessionId, signal),
      since: this.#since,
      dealtWith: this.#dealtWith,
      maxParallel: config.cron.max_parallel,
      ...(onEnded && { onEnded }),
    };
  }

  async #start(job: CronJob, sessionId: string, signal: AbortSignal | undefined): Promise<JobEnd> {
    const [command = '', ...args] = job.command;
    return jobEnd(
      await this.#home.gateway.run({
        command,
        args,
        source: 'cron',
        sessionId,
        // Without a folder of its own it runs where the daemon was started, which nobody asked to be saved.
        ...(job.workdir === undefined ? { checkpoints: false } : { cwd: job.workdir }),
        ...(job.maxMinutes !== undefined && { maxMinutes: job.maxMinutes }),
        ...(signal && { signal }),
      }),
    );
  }

  /** What the run printed and what its assistant said, in order; absent when the session is gone. */
  async #outputOf(sessionId: string): Promise<string | undefined> {
    const { store } = this.#parts;
    if ((await store.get(sessionId)) === undefined) return undefined;
    const parts: string[] = [];
    for await (const message of store.messages(sessionId)) parts.push(spoken(message));
    return parts.join('');
  }

  /** A run whose output has arrived everywhere has done its work: its session goes to the trash, in one run with others. */
  async #cleanUp(): Promise<void> {
    const { store, config } = this.#parts;
    if (config.cron.after_delivery === 'keep') return;
    // An alert that has not arrived needs nothing of its session.
    const waiting = (await store.deliveries.open()).filter((delivery) => delivery.job !== ALERT_JOB);
    const open = new Set(waiting.map(({ sessionId }) => sessionId));
    const ids: string[] = [];
    for (const { job } of await this.jobs()) {
      if (job.deliver.length === 0) continue;
      for (const { sessionId, finishedAt } of await store.cron.runs(job.name, RUNS_KEPT)) {
        const over = finishedAt !== undefined && !open.has(sessionId);
        if (over && (await store.get(sessionId)) !== undefined) ids.push(sessionId);
      }
    }
    if (ids.length > 0) await this.#home.apply(await this.#home.plan({ kind: 'delete', ids }));
  }

  async #find(name: string): Promise<KnownJob> {
    const found = (await this.jobs()).find(({ job }) => job.name === name);
    if (found === undefined) throw noSuchJob(name);
    return found;
  }
}

const NOTHING_STARTED: CronTick = { started: [], ended: Promise.resolve() };

/** Together with what could not be saved of its folder, which stops nothing and is said all the same. */
function jobEnd(result: AgentRunResult): JobEnd {
  const { outcome, why } = endOf(result);
  const said = [...(why === undefined ? [] : [why]), ...new Set(result.checkpoints?.problems)];
  return { outcome, ...(said.length > 0 && { why: said.join(' ') }) };
}

function endOf({ cause, exitCode, signal }: RunResult): JobEnd {
  if (cause.kind === 'stopped') return { outcome: 'stopped', why: cause.why };
  if (cause.kind === 'interrupted') return { outcome: 'stopped', why: 'It was interrupted.' };
  if (exitCode === 0) return { outcome: 'done' };
  return {
    outcome: 'failed',
    why: signal === undefined ? `It ended with exit code ${exitCode}.` : `${signal} ended it.`,
  };
}

/** What became of a run, by why its session ended. */
function outcomeOf(endReason = ''): CronOutcome {
  if (endedByAccident(endReason)) return 'lost';
  if (endReason === 'done') return 'done';
  return endReason.startsWith('failed') ? 'failed' : 'stopped';
}

function spoken({ role, name, content }: Message): string {
  const said = role === 'assistant' || (role === 'tool' && name === 'stdout');
  if (!said) return '';
  const text = typeof content === 'string' ? content : content.map(partText).join('');
  return role === 'assistant' && text !== '' ? `${text}\n` : text;
}

function partText({ text }: JsonObject): string {
  return typeof text === 'string' ? text : '';
}

function noSuchJob(name: string): Failure {
  return new Failure('not-found', `There is no job ${name}.`, { hint: 'List them with: coppice cron list' });
}

function tooMany(most: number): Failure {
  return new Failure('refused', `As many jobs are running as may at once: ${most}.`, {
    hint: 'Wait until one has ended, or set cron.max_parallel higher.',
  });
}

function startedAlready(name: string): Failure {
  return new Failure('refused', `The job ${name} was started this very second already.`, {
    hint: 'Look at it with: coppice cron list',
  });
}

function inConfiguration(name: string): Failure {
  return new Failure('refused', `The job ${name} is in config.yaml.`, {
    hint: 'Change or remove it there: coppice config path',
  });
}
