import { hostname, uptime } from 'node:os';
import { type Clock, SECOND_MS, type SinceBoot } from '../../core/time.ts';
import { bootId } from './process-identity.ts';

/** The machine's wall clock. Tests pass their own. */
export const systemClock: Clock = { now: () => Date.now(), sinceBoot };

function sinceBoot(): SinceBoot | undefined {
  const boot = bootId();
  return boot === '' ? undefined : { boot: `${hostname()} ${boot}`, ms: Math.round(uptime() * SECOND_MS) };
}
