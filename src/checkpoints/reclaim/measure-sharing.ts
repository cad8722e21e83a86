import type { CheckpointItem } from '../../core/retention/inventory.ts';
import type { CheckpointStore } from '../store/open-store.ts';
import { bytesByObject, readStoreSize } from '../store/store-size.ts';
import { objectsOfEach } from './reachable-objects.ts';

export interface Sharing {
  /** By project, what no other project has. */
  readonly ownBytes: ReadonlyMap<string, number>;
  /** What several projects have, once. */
  readonly sharedBytes: number;
  /** What is remembered of each project's files beside the store, so that the next take is quick. */
  readonly indexBytes: number;
}

/** What each project takes alone and what they share. */
export async function measureSharing(
  { layout }: Pick<CheckpointStore, 'layout'>,
  items: readonly CheckpointItem[],
): Promise<Sharing> {
  const size = await readStoreSize(layout);
  const bytes = bytesByObject(size);
  const ownerOf = new Map<string, string>();
  for (const projectId of new Set(items.map((item) => item.projectId))) {
    const ids = items.filter((item) => item.projectId === projectId).map(({ id }) => id);
    for await (const { objects } of objectsOfEach(layout, ids)) {
      for (const object of objects) ownerOf.set(object, ownerOf.has(object) ? SEVERAL : projectId);
    }
  }
  const ownBytes = new Map<string, number>();
  for (const [object, owner] of ownerOf) ownBytes.set(owner, (ownBytes.get(owner) ?? 0) + (bytes.get(object) ?? 0));
  return { ownBytes, sharedBytes: ownBytes.get(SEVERAL) ?? 0, indexBytes: size.indexBytes };
}

/** No project has this name. */
const SEVERAL = '';
