import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { basename } from 'node:path';
import type { DiskPart, DiskParts } from '../../core/retention/inventory.ts';
import { ownDiskBytes, walkTree } from '../../platform/files/walk-tree.ts';
import type { NativeLayout } from './native-layout.ts';

/** What was measured by whoever looked at sessions and archive, on the disk. */
export interface Measured {
  /** Contents in the database of the sessions that are there, and of those in the trash. */
  readonly rowBytes: number;
  readonly hiddenRowBytes: number;
  /** The folder of sessions without what is in `strays` and `other`. */
  readonly sessionFiles: number;
  readonly strays: number;
  readonly other: number;
  readonly archive: number;
}

/**
 * Every byte of a native home, in blocks as the disk counts them, in exactly one part. Sessions and the archive were walked by
 * whoever calls; the rest is walked here, so that nothing is looked at twice. No file is opened.
 */
export function homeParts(layout: NativeLayout, measured: Measured, onEntry: () => void): DiskParts {
  const { rowBytes, hiddenRowBytes, sessionFiles, strays, archive } = measured;
  const sums = restOf(layout, onEntry);
  const of = (part: RestPart) => sums.get(part) ?? 0;
  const held = rowBytes + hiddenRowBytes;
  // What was written last may be in the log alone, so the rows are taken out of both together.
  const beside = Math.max(0, of('database') + of('log') - held);
  const log = Math.min(of('log'), beside);
  return {
    sessions: rowBytes + sessionFiles,
    strays,
    trash: of('trash') + hiddenRowBytes,
    archives: archive,
    checkpoints: of('checkpoints'),
    index: beside - log,
    log,
    reserve: of('reserve'),
    plans: of('plans'),
    audit: of('audit'),
    search: of('search'),
    caches: of('caches'),
    other: of('other') + measured.other,
  };
}

/** There only while somebody has a database open, such as whoever looks: nobody would find it afterwards. */
const SHARED_MEMORY = /\.db-shm$/;

type RestPart =
  | Extract<DiskPart, 'trash' | 'checkpoints' | 'log' | 'reserve' | 'plans' | 'audit' | 'search' | 'caches' | 'other'>
  | 'database';

function restOf(layout: NativeLayout, onEntry: () => void): ReadonlyMap<RestPart, number> {
  const sums = new Map<RestPart, number>();
  const add = (part: RestPart, bytes: number) => sums.set(part, (sums.get(part) ?? 0) + bytes);
  add('other', ownDiskBytes(layout.root));
  for (const name of existsSync(layout.root) ? readdirSync(layout.root) : []) {
    if (name === basename(layout.sessions) || name === basename(layout.archive) || SHARED_MEMORY.test(name)) continue;
    const path = `${layout.root}/${name}`;
    const part = partOf(layout, name);
    add(part, ownDiskBytes(path));
    if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) continue;
    for (const entry of walkTree(path)) {
      onEntry();
      if (entry.kind !== 'unreadable') add(part, entry.diskBytes);
    }
  }
  return sums;
}

function partOf(layout: NativeLayout, name: string): RestPart {
  const database = basename(layout.database);
  if (name === database) return 'database';
  if (name.startsWith(`${database}-`)) return 'log';
  if (name === basename(layout.ballast)) return 'reserve';
  if (name === basename(layout.plans)) return 'plans';
  if (name === basename(layout.audit)) return 'audit';
  if (name.startsWith(basename(layout.search))) return 'search';
  if (name === 'cache') return 'caches';
  return name === 'trash' || name === 'checkpoints' ? name : 'other';
}
