import { judgeClock } from '../../keeping/liveness/clock-watch.ts';
import type { HomeParts } from '../home-parts.ts';

/** Whether anything in the trash can no longer be undone, by a clock that can be trusted. */
export async function hasExpired({ store, clock }: HomeParts): Promise<boolean> {
  const now = clock.now();
  const [first] = await store.journal.inTrash();
  return first !== undefined && first.expiresAt <= now && (await judgeClock(store, clock)) === 'trusted';
}
