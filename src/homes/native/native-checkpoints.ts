import type { CheckpointParts } from '../../checkpoints/checkpoint-parts.ts';
import type { HomeCheckpoints } from '../../checkpoints/home-checkpoints.ts';
import { measureSharing } from '../../checkpoints/reclaim/measure-sharing.ts';
import { reclaimStore } from '../../checkpoints/reclaim/reclaim-store.ts';
import { scanCheckpoints } from '../../checkpoints/scan-checkpoints.ts';
import { findLegacy } from '../../checkpoints/store/find-legacy.ts';
import { trimIndexes } from '../../checkpoints/store/index-cache.ts';
import { type CheckpointStore, findStore, openStore } from '../../checkpoints/store/open-store.ts';
import { projectIds, readProject } from '../../checkpoints/store/project-book.ts';
import { SNAPSHOTS } from '../../checkpoints/store/store-layout.ts';
import { readRefs } from '../../checkpoints/store/store-refs.ts';
import { walkStore } from '../../checkpoints/store/store-size.ts';
import { type Inventory, movePart } from '../../core/retention/inventory.ts';

/** The checkpoints that Coppice takes itself. What only some ask for is loaded when it is called. */
export function nativeCheckpoints(parts: CheckpointParts): HomeCheckpoints {
  const { storeOptions } = parts;
  const find = () => findStore(storeOptions);
  const open = () => openStore(storeOptions);
  return {
    ...lookAt(find, open),
    ...goBack(parts, open),
    knowsUse: true,
    async check() {
      const store = find();
      if (store === undefined) return { looked: 0, problems: [] };
      const { items, problems } = await scanCheckpoints(store, { active: [], sightings: new Map() });
      return { looked: items.length, problems };
    },
    async addTo(inventory, active) {
      const store = find();
      return store === undefined ? inventory : addCheckpoints(store, { inventory, active, parts });
    },
    legacy: () => findLegacy(storeOptions.root),
    workdirs() {
      const store = find();
      if (store === undefined) return [];
      return projectIds(store.layout).flatMap((id) => {
        const record = readProject(store.layout, id);
        return typeof record === 'string' ? [] : [{ id, workdir: record.workdir }];
      });
    },
    async sharing(items) {
      const store = find();
      return store === undefined
        ? { ownBytes: new Map(), sharedBytes: 0, indexBytes: 0 }
        : measureSharing(store, items);
    },
    async look() {
      const store = find();
      if (store === undefined) return undefined;
      const { diskBytes, loose } = await walkStore(store.layout);
      return { diskBytes, loose: loose.size };
    },
    async isCrowded({ maxSnapshots, spareBytes }) {
      const store = find();
      if (store === undefined) return false;
      trimIndexes(store.layout, spareBytes);
      return Math.max(0, ...(await countsOf(store)).values()) > maxSnapshots;
    },
    async reclaim(options) {
      const store = find();
      return store === undefined ? 0 : reclaimStore(store, { maxBytes: parts.maxBytes, ...options });
    },
  };
}

type Find = () => CheckpointStore | undefined;
type Open = () => Promise<CheckpointStore>;

function lookAt(find: Find, open: Open): Pick<HomeCheckpoints, 'list' | 'projects' | 'show' | 'verify'> {
  return {
    async list(workdir) {
      const store = find();
      if (store === undefined) return [];
      const { readSnapshots } = await import('../../checkpoints/store/read-snapshots.ts');
      const { projectIdOf } = await import('../../checkpoints/store/store-layout.ts');
      const projectId = workdir === undefined ? undefined : projectIdOf(workdir);
      return (await readSnapshots(store, { projectId })).checkpoints;
    },
    async projects() {
      const store = find();
      if (store === undefined) return [];
      const { listProjects } = await import('../../checkpoints/project/list-projects.ts');
      return listProjects(store);
    },
    async show(id) {
      const { findSnapshot } = await import('../../checkpoints/store/find-snapshot.ts');
      const { measureChanges } = await import('../../checkpoints/take/measure-changes.ts');
      const store = await open();
      const { checkpoint, previous } = await findSnapshot(store, id);
      const changes = await measureChanges(store, checkpoint, previous);
      return { checkpoint, changes, ...(previous !== undefined && { previous }) };
    },
    async verify(options) {
      const store = find();
      if (store === undefined) return { checkpoints: 0, problems: [] };
      const { verifyStore } = await import('../../checkpoints/reclaim/verify-store.ts');
      return verifyStore(store, options);
    },
  };
}

function goBack(
  parts: CheckpointParts,
  open: Open,
): Pick<HomeCheckpoints, 'diff' | 'diffText' | 'restore' | 'previewRestore'> {
  return {
    async diff(id, options) {
      const { diffCheckpoints } = await import('../../checkpoints/restore/diff-checkpoints.ts');
      return diffCheckpoints(await open(), { id, ...options });
    },
    async *diffText(id, options) {
      const { diffCheckpointsText } = await import('../../checkpoints/restore/diff-checkpoints.ts');
      yield* diffCheckpointsText(await open(), { id, ...options });
    },
    async restore(id, options) {
      const { restoreCheckpoint } = await import('../../checkpoints/restore-checkpoint.ts');
      return restoreCheckpoint(parts, await open(), { id, ...options });
    },
    async previewRestore(id, options) {
      const { previewCheckpoint } = await import('../../checkpoints/restore-checkpoint.ts');
      return previewCheckpoint(await open(), { id, ...options });
    },
  };
}

interface Adding {
  readonly inventory: Inventory;
  readonly active: readonly string[];
  readonly parts: CheckpointParts;
}

async function addCheckpoints(store: CheckpointStore, { inventory, active, parts }: Adding): Promise<Inventory> {
  const scan = await scanCheckpoints(store, { active, sightings: await parts.sightings() });
  const trash = inventory.trash.map((item) => {
    const ours = scan.trash.get(item.id);
    if (ours?.items !== item.itemCount) return item;
    return { ...item, sizeBytes: ours.sizeBytes, onlyCheckpoints: true as const };
  });
  const trashedBytes = [...scan.trash.values()].reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  return {
    ...inventory,
    trash,
    checkpoints: scan.items,
    checkpointBytes: scan.diskBytes + scan.indexBytes,
    checkpointSpare: { garbageBytes: scan.deadBytes, cacheBytes: scan.indexBytes },
    problems: [...inventory.problems, ...scan.problems],
    // What is in the trash is in the store still, which was measured as a whole.
    disk: movePart(inventory.disk, { from: 'checkpoints', to: 'trash', bytes: trashedBytes }),
  };
}

async function countsOf({ layout }: CheckpointStore): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const name of (await readRefs(layout)).keys()) {
    const [project = ''] = name.startsWith(`${SNAPSHOTS}/`) ? name.slice(SNAPSHOTS.length + 1).split('/') : [];
    if (project !== '') counts.set(project, (counts.get(project) ?? 0) + 1);
  }
  return counts;
}
