import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { DiskPart } from '../core/retention/inventory.ts';
import { ownDiskBytes, walkTree } from '../platform/files/walk-tree.ts';

/** Where the bytes of Coppice's own records beside a home of another agent belong. */
export type CompanionSums = Readonly<Record<CompanionPart, number>>;

type CompanionPart = Exclude<DiskPart, 'sessions' | 'strays'>;

/** By the names at the top of the records. The first that fits counts. */
const PLACES: readonly (readonly [RegExp, CompanionPart])[] = [
  [/^state\.db$/, 'index'],
  [/^state\.db-(wal|journal)$/, 'log'],
  [/^trash(\/|$)/, 'trash'],
  [/^archive(\/|$)/, 'archives'],
  [/^checkpoints(\/|$)/, 'checkpoints'],
  [/^ballast$/, 'reserve'],
  [/^audit(\/|$)/, 'audit'],
  [/^plans(\/|$)/, 'plans'],
  [/^search\.db/, 'search'],
  [/^cache(\/|$)/, 'caches'],
];

/** There only while somebody has a database open, such as whoever looks: nobody would find it afterwards. */
const SHARED_MEMORY = /\.db-shm$/;
const TURN_NAMES = 2000;

/** What the records take on the disk, as `du` counts them, with everything in exactly one part. Nothing where there are none. */
export async function companionSize(root: string, signal?: AbortSignal): Promise<CompanionSums> {
  const sums: Record<CompanionPart, number> = {
    index: 0,
    log: 0,
    trash: 0,
    archives: 0,
    checkpoints: 0,
    reserve: 0,
    audit: 0,
    plans: 0,
    search: 0,
    caches: 0,
    other: ownDiskBytes(root),
  };
  let seen = 0;
  for (const entry of existsSync(root) ? walkTree(root) : []) {
    seen += 1;
    if (seen % TURN_NAMES === 0) await setImmediate();
    signal?.throwIfAborted();
    if (entry.kind === 'unreadable' || SHARED_MEMORY.test(basename(entry.path))) continue;
    sums[PLACES.find(([fits]) => fits.test(entry.path))?.[1] ?? 'other'] += entry.diskBytes;
  }
  return sums;
}
