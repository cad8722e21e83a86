import type { Clock } from '../core/time.ts';

/** The machine's wall clock. Tests pass their own. */
export const systemClock: Clock = { now: () => Date.now() };
