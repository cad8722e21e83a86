import { MINUTE_MS } from '../../../core/time.ts';
import { findDamage } from './check-hermes-database.ts';

/**
 * Asks whether a database is damaged, and why nothing is done with it then: neither taking out of it nor putting into it would
 * leave the rest as it is. A database that was sound a moment ago is not asked again, because a long run has many steps.
 */
export function rememberSound(home: string): () => Promise<string | undefined> {
  let soundAt: number | undefined;
  return async () => {
    const now = performance.now();
    if (soundAt !== undefined && now - soundAt < MINUTE_MS) return undefined;
    const damage = await findDamage(home);
    if (damage === undefined) soundAt = now;
    return damage && `${damage.message} Nothing is removed from it or brought back before it is mended.`;
  };
}
