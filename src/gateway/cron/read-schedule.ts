import { Cron } from 'croner';

/**
 * Reads a schedule: five fields, six with seconds first, or a word such as `@daily`. Undefined when it cannot be read, or never
 * comes, such as a 30th of February. A single moment is no schedule: it would be wrong from that moment on.
 */
export function readSchedule(schedule: string, timeZone: string): Cron | undefined {
  if (schedule.includes(':')) return undefined;
  try {
    const read = new Cron(schedule, { timezone: timeZone, paused: true, mode: '5-or-6-parts' });
    return read.nextRun(new Date(0)) === null ? undefined : read;
  } catch {
    // The library throws for whatever it cannot read.
    return undefined;
  }
}
