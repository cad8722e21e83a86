import type { SessionItem } from '../core/retention/inventory.ts';
import { ABANDONED } from '../core/sessions/end-reasons.ts';
import type { EpochMs } from '../core/time.ts';

/**
 * When a session began to age: with its last activity, not with its end. One that a rule closed because nobody used it may be old by
 * then, and ages from the close, so that there is time between the two in which somebody can come back to it.
 */
export function agesFrom({ endedAt, endReason, reset, lastActiveAt }: SessionItem): EpochMs {
  const closedByRule = endReason === ABANDONED || reset === true;
  return closedByRule && endedAt !== undefined ? Math.max(lastActiveAt, endedAt) : lastActiveAt;
}
