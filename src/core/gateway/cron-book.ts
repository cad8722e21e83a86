import type { EpochMs } from '../time.ts';

/** One run of a scheduled job. `dueAt` names the slot: each slot of a job is run at most once, by one process. */
export interface CronRun {
  readonly job: string;
  readonly dueAt: EpochMs;
  readonly sessionId: string;
  readonly startedAt: EpochMs;
  readonly finishedAt?: EpochMs;
  /** `missed` slots were passed over on purpose, `lost` ones died with their process. */
  readonly outcome?: CronOutcome;
}

export type CronOutcome = 'done' | 'failed' | 'stopped' | 'missed' | 'lost';

/** What is remembered of jobs: those added by command, and the newest runs of every job. */
export interface CronBook {
  /** Jobs added by command, as they were given; the caller checks them. */
  jobs(): Promise<ReadonlyMap<string, string>>;
  saveJob(name: string, spec: string): Promise<void>;
  /** False when there is no such job. */
  dropJob(name: string): Promise<boolean>;
  /** Takes a slot for this process. False when another has it already. */
  claim(run: Pick<CronRun, 'job' | 'dueAt' | 'sessionId'>): Promise<boolean>;
  finish(run: Pick<CronRun, 'job' | 'dueAt'>, outcome: CronOutcome): Promise<void>;
  /** Newest first. */
  runs(job: string, limit: number): Promise<readonly CronRun[]>;
  /** Runs that have begun and not ended. */
  unfinished(): Promise<readonly CronRun[]>;
  /** Forgets all but the newest runs of a job. */
  trim(job: string, keep: number): Promise<void>;
}
