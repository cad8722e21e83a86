import type { HomeMemory } from '../../../core/stores/session-records.ts';

/** A bundle that may stand in an object store although no session may refer to it: it is on its way there, or on its way out. */
export interface LooseBundle {
  readonly name: string;
  /** The object store, as it says of itself. */
  readonly place: string;
}

const KEY = 'archive-loose';

/** What is noted here is on the disk before the first byte is sent, so whoever comes after a crash knows what to look for. */
export async function looseBundles(memory: Pick<HomeMemory, 'getMeta'>): Promise<readonly LooseBundle[]> {
  return JSON.parse((await memory.getMeta(KEY)) ?? '[]') as LooseBundle[];
}

export async function noteLoose(memory: HomeMemory, some: readonly LooseBundle[]): Promise<void> {
  const known = await looseBundles(memory);
  const fresh = some.filter((one) => !known.some((other) => isSame(one, other)));
  if (fresh.length > 0) await memory.setMeta(KEY, JSON.stringify([...known, ...fresh]));
}

export async function forgetLoose(memory: HomeMemory, some: readonly LooseBundle[]): Promise<void> {
  const known = await looseBundles(memory);
  const left = known.filter((one) => !some.some((other) => isSame(one, other)));
  if (left.length < known.length) await memory.setMeta(KEY, JSON.stringify(left));
}

function isSame(one: LooseBundle, other: LooseBundle): boolean {
  return one.name === other.name && one.place === other.place;
}
