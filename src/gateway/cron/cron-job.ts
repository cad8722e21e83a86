import type { EpochMs } from '../../core/time.ts';

/** A job that runs by the clock. */
export interface CronJob {
  readonly name: string;
  /** When it was added or changed by command: slots before that are none of its own. */
  readonly addedAt?: EpochMs;
  /** Five fields, or six with seconds first. */
  readonly schedule: string;
  readonly timeZone: string;
  readonly command: readonly string[];
  readonly workdir?: string;
  /** Slots that passed while nothing was running: the newest is made up for, or none is. */
  readonly missed: 'run-once' | 'skip';
  /** A slot that comes while an earlier run of the job is still going: passed over, or run beside it. */
  readonly overlap: 'skip' | 'parallel';
  readonly maxMinutes?: number;
  /** Where the output goes when a run has ended. */
  readonly deliver: readonly DeliveryTarget[];
}

/** Where something is delivered. */
export type DeliveryTarget =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'webhook'; readonly url: string }
  /** Started where the job runs, with the output on its standard input. */
  | { readonly kind: 'command'; readonly command: readonly string[]; readonly workdir?: string };

/** The id of a run's session: `cron_<job>_<time>`, in UTC. */
export function cronSessionId(job: string, dueAt: number): string {
  const time = new Date(dueAt).toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '_');
  return `cron_${job}_${time}`;
}
