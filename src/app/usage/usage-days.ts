import { localDay, zoneOffset } from '../../gateway/zone-offset.ts';
import type { EpochMs } from '../../core/time.ts';
import type { HomeParts } from '../home-parts.ts';

export interface UsageDays {
  readonly zone: string;
  readonly dayOf: (at: EpochMs) => string;
}

/** Zones differ from each other by a multiple of this. */
const QUARTER_MS = 15 * 60 * 1000;

/** Days begin where the budgets have them begin, if somebody said so, else where this machine is. */
export async function usageDays({
  config,
  configuration,
}: Pick<HomeParts, 'config' | 'configuration'>): Promise<UsageDays> {
  const { settings } = await configuration.show();
  const isSet = settings.some(({ key, level }) => key === 'budgets.time_zone' && level !== 'default');
  const zone = isSet ? config.budgets.time_zone : localZone();
  const offsetAt = zoneOffset(zone);
  const known = new Map<number, string>();
  const dayOf = (at: EpochMs): string => {
    const quarter = Math.floor(at / QUARTER_MS);
    const day = known.get(quarter) ?? localDay(at, offsetAt);
    known.set(quarter, day);
    return day;
  };
  return { zone, dayOf };
}

function localZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';
}
