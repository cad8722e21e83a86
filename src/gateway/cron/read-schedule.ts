import { Cron } from 'croner';

/**
 * Reads a schedule: five fields, six with seconds first, or a word such as `@daily`. Undefined when it cannot be read. A single
 * moment is no schedule: it would be wrong from that moment on.
 */
export function readSchedule(schedule: string, timeZone: string): Cron | undefined {
  if (schedule.includes(':')) return undefined;
  try {
    return new Cron(schedule, { timezone: timeZone, paused: true, mode: '5-or-6-parts' });
  } catch {
    // The library throws for whatever it cannot read.
    return undefined;
  }
}

/** Whether it can be read and ever comes, unlike a 30th of February. */
export function schedulable(schedule: string): boolean {
  return (readSchedule(schedule, 'UTC')?.nextRun(new Date(0)) ?? null) !== null;
}
