import { type EpochMs, HOUR_MS, MINUTE_MS, SECOND_MS } from '../core/time.ts';

/** How far the clocks of a place are ahead of UTC at an instant, in milliseconds; negative in the west. */
export type ZoneOffset = (at: EpochMs) => number;

/** The offsets of an IANA time zone. Make it once and keep it: making it costs more than a hundred answers. */
export function zoneOffset(timeZone: string): ZoneOffset {
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  return (at) => {
    // Ends in GMT, GMT+05:30 or, long ago, GMT-00:44:30.
    const [, sign, hours, minutes, seconds = 0] = /([+-])(\d+):(\d+)(?::(\d+))?$/.exec(format.format(at)) ?? [];
    if (sign === undefined) return 0;
    const size = Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS + Number(seconds) * SECOND_MS;
    return sign === '-' ? -size : size;
  };
}

/** The local date of an instant, such as `2026-01-15`. */
export function localDay(at: EpochMs, offsetAt: ZoneOffset): string {
  return new Date(at + offsetAt(at)).toISOString().slice(0, 10);
}
