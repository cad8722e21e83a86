import { Failure } from '../../../core/failure.ts';
import { bytesSource, type ObjectStore } from '../../../core/objects/object-store.ts';
import { type ConditionalPut, probeObjects } from '../../../core/objects/probe-objects.ts';
import type { HomeMemory } from '../../../core/stores/session-records.ts';
import { type EpochMs, isoTime } from '../../../core/time.ts';

/** The object store that the settings name, opened when it is needed, and how much of it may be kept here. */
export interface ArchiveObjects {
  readonly open: () => Promise<ObjectStore>;
  readonly cacheBytes: number;
}

/** The part of an object store that belongs to one home. */
export interface ObjectPlace {
  readonly store: ObjectStore;
  /** By which other homes' objects are told from these. */
  readonly homeId: string;
  readonly bundleKey: (name: string) => string;
  readonly manifestKey: (name: string) => string;
}

/** What is remembered of the place that bundles went to last. */
interface KnownPlace {
  readonly place: string;
  readonly conditionalPut: ConditionalPut;
}

const KEY = 'archive-place';

export async function openPlace(objects: ArchiveObjects, memory: HomeMemory): Promise<ObjectPlace> {
  const store = await objects.open();
  const homeId = (await memory.getMeta('home-id')) ?? '';
  if (homeId === '') throw new Error('a home without an id has no place among objects');
  return {
    store,
    homeId,
    bundleKey: (name) => `${homeId}/bundles/${name}`,
    manifestKey: (name) => `${homeId}/manifests/${name.replace(/\.tar$/, '.json')}`,
  };
}

/** Which place the bundles of a home went to last, and what it makes of conditions. */
export async function knownPlace(memory: Pick<HomeMemory, 'getMeta'>): Promise<KnownPlace | undefined> {
  const text = await memory.getMeta(KEY);
  return text === undefined ? undefined : (JSON.parse(text) as KnownPlace);
}

/**
 * Makes sure that a place is what it was before anything goes there: an object of the home says so. An empty folder in which a disk was
 * mounted once, or another bucket under the same name, has none. At a place that is new, it is put there, and the place is tried out.
 */
export async function preparePlace(place: ObjectPlace, memory: HomeMemory, now: EpochMs): Promise<ConditionalPut> {
  const { store, homeId } = place;
  const key = `${homeId}/home.json`;
  const known = await knownPlace(memory);
  const isThere = (await store.sizeOf(key)) !== undefined;
  if (known?.place === store.place) {
    if (!isThere) throw notItsPlace(place);
    return known.conditionalPut;
  }
  const conditionalPut = await probeObjects(store, `${homeId}/probe`);
  const marker = { format: 'coppice-archive-home', version: 1, home: homeId, since: isoTime(now) };
  if (!isThere) await store.put(key, bytesSource(Buffer.from(`${JSON.stringify(marker)}\n`)));
  await memory.setMeta(KEY, JSON.stringify({ place: store.place, conditionalPut } satisfies KnownPlace));
  return conditionalPut;
}

function notItsPlace({ store, homeId }: ObjectPlace): Failure {
  return new Failure('failed', `${store.place} lacks ${homeId}/home.json, which this home once put there.`, {
    hint: 'Nothing was changed. It may be an empty folder where a disk belongs, or another bucket. Mount the disk, or set archive.url right, then try again.',
  });
}
