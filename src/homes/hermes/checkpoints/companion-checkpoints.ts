import { dirname, join } from 'node:path';
import { type CheckpointScan, scanCheckpoints } from '../../../checkpoints/scan-checkpoints.ts';
import { findStore } from '../../../checkpoints/store/open-store.ts';
import { walkStore } from '../../../checkpoints/store/store-size.ts';
import type { TrashItem } from '../../../core/retention/inventory.ts';
import { diskBytesOf } from '../../../platform/files/disk-bytes-of.ts';
import { listNames } from '../../../platform/files/list-names.ts';
import type { HermesCheckpointParts } from './hermes-checkpoint-parts.ts';
import { hermesCheckpointBytes } from './store/list-hermes-checkpoints.ts';
import { WHOLE_FOLDER } from './trash/whole-trash.ts';

export interface CompanionCheckpoints {
  /** What checkpoints of another agent take in Coppice's own records beside its home. */
  readonly diskBytes: number;
  readonly garbageBytes: number;
  /** The trash, with those runs marked that hold nothing but checkpoints. */
  readonly trash: readonly TrashItem[];
}

/** What was taken out of the checkpoints of another agent and waits beside its home: single ones in a store, others as they were. */
export async function scanCompanion(
  parts: HermesCheckpointParts,
  trash: readonly TrashItem[],
): Promise<CompanionCheckpoints> {
  const store = findStore(parts.storeOptions);
  const scan = store === undefined ? NOTHING : await scanCheckpoints(store, { active: [], sightings: new Map() });
  let { diskBytes } = scan;
  const marked: TrashItem[] = [];
  for (const item of trash) {
    const wholeBytes = diskBytesOf(join(parts.layout.trash(item.id), WHOLE_FOLDER));
    diskBytes += wholeBytes;
    const sizeBytes = wholeBytes + (scan.trash.get(item.id)?.sizeBytes ?? 0);
    marked.push((await holdsOnlyCheckpoints(parts, item.id)) ? { ...item, sizeBytes, onlyCheckpoints: true } : item);
  }
  return { diskBytes, garbageBytes: scan.deadBytes, trash: marked };
}

const NOTHING: Pick<CheckpointScan, 'diskBytes' | 'deadBytes' | 'trash'> = {
  diskBytes: 0,
  deadBytes: 0,
  trash: new Map(),
};

/** What all checkpoints of another agent take, those that wait beside its home included, without a look into any. */
export async function foreignCheckpointBytes(parts: HermesCheckpointParts, home: string): Promise<number> {
  const store = findStore(parts.storeOptions);
  let diskBytes = hermesCheckpointBytes(home);
  if (store !== undefined) diskBytes += (await walkStore(store.layout)).diskBytes;
  const trash = dirname(parts.layout.trash('any'));
  for (const runId of listNames(trash)) diskBytes += diskBytesOf(join(trash, runId, WHOLE_FOLDER));
  return diskBytes;
}

async function holdsOnlyCheckpoints({ store }: HermesCheckpointParts, runId: string): Promise<boolean> {
  for await (const { item, state } of store.journal.items(runId)) {
    if (state === 'trashed' && item.kind !== 'checkpoint') return false;
  }
  return true;
}
