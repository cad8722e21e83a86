import type { EpochMs } from '../../core/time.ts';
import { formatDate } from '../print/format.ts';

/** Until when what is in the trash is kept. A date that has passed says nothing of what happens to it. */
export function trashTime(expiresAt: EpochMs, now: EpochMs): string {
  return expiresAt > now ? `kept until ${formatDate(expiresAt)}` : 'its time is over and the next change removes it';
}
