import { Failure } from '../core/failure.ts';
import { isNoSpace } from '../core/machine-failure.ts';
import { MINUTE_MS } from '../core/time.ts';
import type { HomeParts } from './home-parts.ts';

const SOUND_AT = 'sound-at';

/**
 * Comes before whatever removes or brings back: neither would leave the rest of a damaged database as it is. One that was sound a
 * moment ago, by whatever process, is not asked again.
 */
export async function refuseDamage({
  store,
  clock,
  layout,
}: Pick<HomeParts, 'store' | 'clock' | 'layout'>): Promise<void> {
  const now = clock.now();
  const soundFor = now - Number((await store.getMeta(SOUND_AT)) ?? Number.NaN);
  if (soundFor >= 0 && soundFor < MINUTE_MS) return;
  const found = await store.repair.damage();
  if (found !== undefined)
    throw new Failure('integrity', `${layout.database} is damaged, so nothing is removed or brought back: ${found}`, {
      hint: 'Nothing was changed. See what is damaged, and what to do, with: coppice doctor',
    });
  // Where there is no room to remember it, it is asked again.
  await store.setMeta(SOUND_AT, String(now)).catch((error: unknown) => {
    if (!isNoSpace(error)) throw error;
  });
}
