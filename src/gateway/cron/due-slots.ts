import type { Cron } from 'croner';
import { Failure } from '../../core/failure.ts';
import { type EpochMs, MINUTE_MS } from '../../core/time.ts';
import type { CronJob } from './cron-job.ts';
import { readSchedule } from './read-schedule.ts';

/** A slot that is later than this was missed: whatever should have run it was not there. */
const PROMPT_MS = 2 * MINUTE_MS;
/** A gap of years with a slot every minute must not keep a start waiting. */
const MOST_SLOTS = 100_000;

export interface DueSlots {
  /** At most one: what to run now. */
  readonly run: EpochMs | undefined;
  /** Passed over, newest last. */
  readonly missed: readonly EpochMs[];
}

/**
 * The slots of a job after `since` that have come. Only the newest is run; it counts as missed itself when it is late and the
 * job says to skip those.
 */
export function dueSlots(job: CronJob, { since, now }: { since: EpochMs; now: EpochMs }): DueSlots {
  const slots = slotsBetween(job, since, now);
  const newest = slots.at(-1);
  if (newest === undefined) return { run: undefined, missed: [] };
  const late = now - newest > PROMPT_MS;
  if (late && job.missed === 'skip') return { run: undefined, missed: slots };
  return { run: newest, missed: slots.slice(0, -1) };
}

/** When a job comes next, in order. Fewer when its schedule ends. */
export function nextSlots(
  job: Pick<CronJob, 'name' | 'schedule' | 'timeZone'>,
  after: EpochMs,
  count: number,
): EpochMs[] {
  const schedule = scheduleOf(job);
  const slots: EpochMs[] = [];
  for (
    let next = schedule.nextRun(new Date(after));
    next !== null && slots.length < count;
    next = schedule.nextRun(next)
  )
    slots.push(next.getTime());
  return slots;
}

function slotsBetween(job: CronJob, since: EpochMs, now: EpochMs): EpochMs[] {
  const schedule = scheduleOf(job);
  const slots: EpochMs[] = [];
  let next = schedule.nextRun(new Date(since));
  while (next !== null && next.getTime() <= now && slots.length < MOST_SLOTS) {
    slots.push(next.getTime());
    next = schedule.nextRun(next);
  }
  return slots;
}

/** The schedule was checked when the job was; a library that has learned to read it otherwise may still refuse it. */
function scheduleOf({ name, schedule, timeZone }: Pick<CronJob, 'name' | 'schedule' | 'timeZone'>): Cron {
  const read = readSchedule(schedule, timeZone);
  if (read !== undefined) return read;
  throw new Failure('usage', `The schedule "${schedule}" of the job ${name} cannot be read.`, {
    hint: 'Write five fields: minute, hour, day, month, weekday, such as "*/15 * * * *".',
  });
}
