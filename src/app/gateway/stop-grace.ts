import { SECOND_MS } from '../../core/time.ts';

/** How long an agent that was told to stop may take, until it is ended. */
export const STOP_GRACE_MS = 10 * SECOND_MS;
