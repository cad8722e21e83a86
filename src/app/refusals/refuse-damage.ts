import { Failure } from '../../core/failure.ts';
import { isNoSpace } from '../../core/machine-failure.ts';
import { type EpochMs, MINUTE_MS } from '../../core/time.ts';
import type { HomeParts } from '../home-parts.ts';

const SOUND_AT = 'sound-at';

type Parts = Pick<HomeParts, 'store' | 'clock' | 'layout'>;

/**
 * Comes before whatever removes or brings back: neither would leave the rest of a damaged database as it is. One that was sound a
 * moment ago, by whatever process, is not asked again. Returns when it was looked at, for who may write that down.
 */
export async function refuseDamage({ store, clock, layout }: Parts): Promise<EpochMs | undefined> {
  const now = clock.now();
  const soundFor = now - Number((await store.getMeta(SOUND_AT)) ?? Number.NaN);
  if (soundFor >= 0 && soundFor < MINUTE_MS) return undefined;
  const found = await store.repair.damage();
  if (found === undefined) return now;
  throw new Failure('integrity', `${layout.database} is damaged, so nothing is removed or brought back: ${found}`, {
    hint: 'Nothing was changed. See what is damaged, and what to do, with: coppice doctor',
  });
}

/** Remembers that it was sound. Where there is no room for that, it is asked again. */
export async function rememberSound({ store }: Parts, soundAt: EpochMs | undefined): Promise<void> {
  if (soundAt === undefined) return;
  await store.setMeta(SOUND_AT, String(soundAt)).catch((error: unknown) => {
    if (!isNoSpace(error)) throw error;
  });
}
