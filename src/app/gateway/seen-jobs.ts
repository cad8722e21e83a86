import type { HomeMemory } from '../../core/stores/session-records.ts';
import type { EpochMs } from '../../core/time.ts';
import type { CronJob } from '../../gateway/cron/cron-job.ts';
import type { KnownJob } from './cron-jobs.ts';

const KEY = 'cron-seen';

/** When a job of the configuration was first met with this schedule. */
interface Seen {
  readonly schedule: string;
  readonly at: EpochMs;
}

/**
 * Gives each job of the configuration the moment from which its slots are its own. A file does not say when a job was written into
 * it, so the first tick that meets it is remembered: what comes due while nothing runs is then made up for after a restart.
 */
export async function withFirstSight(
  jobs: readonly KnownJob[],
  { store, now }: { readonly store: HomeMemory; readonly now: EpochMs },
): Promise<readonly CronJob[]> {
  const text = await store.getMeta(KEY);
  const before = parse(text);
  const seen: Record<string, Seen> = {};
  const dated = jobs.map(({ job, from }): CronJob => {
    if (from !== 'config') return job;
    const schedule = `${job.schedule} ${job.timeZone}`;
    const known = Object.hasOwn(before, job.name) ? before[job.name] : undefined;
    // With another schedule it is another job; and a moment that is yet to come is from a clock that was wrong.
    const isSame = known?.schedule === schedule && known.at <= now;
    const { at } = (seen[job.name] = isSame ? known : { schedule, at: now });
    return { ...job, addedAt: at };
  });
  const after = JSON.stringify(seen);
  if (after !== (text ?? '{}')) await store.setMeta(KEY, after);
  return dated;
}

function parse(text = '{}'): Readonly<Record<string, Seen>> {
  try {
    return JSON.parse(text) as Record<string, Seen>;
  } catch {
    // Somebody else wrote to it: every job counts as new.
    return {};
  }
}
