import type { HomeCheckpoints } from '../../checkpoints/home-checkpoints.ts';
import { lookAtWorkdir, nextSighting, type Sighting } from '../../checkpoints/take/workdir-sightings.ts';
import { isJsonObject } from '../../core/json.ts';
import type { EpochMs } from '../../core/time.ts';
import { judgeClock } from '../../keeping/liveness/clock-watch.ts';
import type { HomeParts } from '../home-parts.ts';

// A folder that is missing may come back: it was moved, or its volume is away. Passes that nobody watches therefore remember
// what they saw, in the records of the home or, for a home of another agent, in those beside it.

export type Sightings = ReadonlyMap<string, Sighting>;

const KEY = 'checkpoint-sightings';

/** What passes have seen of the folders of projects, by the ids of those. A record that is damaged counts as none. */
export async function recallSightings({ store }: Pick<HomeParts, 'store'>): Promise<Sightings> {
  try {
    const data: unknown = JSON.parse((await store.getMeta(KEY)) ?? '{}');
    const entries: [string, unknown][] = Object.entries(isJsonObject(data) ? data : {});
    return new Map(entries.filter(isSighting));
  } catch {
    return new Map();
  }
}

/** Looks at the folder of every project and remembers what it saw. A clock in doubt is no measure of a day, so it looks then not. */
export async function noteSightings(
  parts: Pick<HomeParts, 'store' | 'clock'>,
  checkpoints: Pick<HomeCheckpoints, 'workdirs'>,
): Promise<void> {
  const { store, clock } = parts;
  const now = clock.now();
  if ((await judgeClock(store, clock)) === 'suspect') return;
  const before = await recallSightings(parts);
  const after = new Map<string, Sighting>();
  for (const { id, workdir } of checkpoints.workdirs()) {
    const sighting = nextSighting(before.get(id), lookAtWorkdir(workdir), now);
    if (sighting !== undefined) after.set(id, sighting);
  }
  const text = JSON.stringify(Object.fromEntries(after));
  if (text !== ((await store.getMeta(KEY)) ?? '{}')) await store.setMeta(KEY, text);
}

function isSighting(entry: [string, unknown]): entry is [string, Sighting] {
  const [, data] = entry;
  if (!isJsonObject(data) || !isFileId(data['parent'])) return false;
  return (data['self'] === undefined || isFileId(data['self'])) && isTime(data['goneAt']);
}

function isFileId(data: unknown): boolean {
  return isJsonObject(data) && typeof data['dev'] === 'string' && typeof data['ino'] === 'string';
}

function isTime(data: unknown): data is EpochMs | undefined {
  return data === undefined || Number.isSafeInteger(data);
}
