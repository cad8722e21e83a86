import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { EpochMs } from '../../core/time.ts';
import { ownDiskBytes, walkTree } from '../../platform/files/walk-tree.ts';
import { runGit } from '../../platform/git/run-git.ts';
import { keptIndexes } from './index-cache.ts';
import type { StoreLayout } from './store-layout.ts';

/** What a store takes on disk, object by object. */
export interface StoreSize {
  /** Everything in its folder, folders and locks included, as `du` counts it. Layouts of before are not part of it. */
  readonly diskBytes: number;
  /** What the cache of indexes takes beside it. */
  readonly indexBytes: number;
  /** Objects in files of their own, by name. */
  readonly loose: ReadonlyMap<string, LooseObject>;
  readonly packs: readonly Pack[];
}

export interface LooseObject {
  readonly diskBytes: number;
  readonly modifiedAt: EpochMs;
}

export interface Pack {
  /** Without its ending, such as `pack-<hash>`. */
  readonly name: string;
  /** Its files together. */
  readonly diskBytes: number;
  /** What each object takes in it. */
  readonly objects: ReadonlyMap<string, number>;
}

/** Looks at every file of the store once. What vanishes meanwhile is left out. */
export async function readStoreSize(layout: StoreLayout): Promise<StoreSize> {
  const { packBytes, ...found } = await walkStore(layout);
  const packs: Pack[] = [];
  for (const [name, diskBytes] of packBytes) {
    packs.push({ name, diskBytes, objects: await packedObjects(layout, name) });
  }
  return { ...found, packs };
}

/** The same without looking into packs, which takes no git. */
export async function walkStore(
  layout: StoreLayout,
): Promise<Omit<StoreSize, 'packs'> & { readonly packBytes: ReadonlyMap<string, number> }> {
  const loose = new Map<string, LooseObject>();
  const packBytes = new Map<string, number>();
  const folders = [layout.root, layout.gitDir, layout.indexes];
  let diskBytes = folders.reduce((sum, dir) => sum + ownDiskBytes(dir), filesIn(layout.root));
  let seen = 0;
  for (const entry of walkTree(layout.gitDir)) {
    // The walk is synchronous, and whoever else uses this process must not wait for all of it.
    if (++seen % BREATH === 0) await new Promise((resolve) => setImmediate(resolve));
    if (entry.kind === 'unreadable') continue;
    diskBytes += entry.diskBytes;
    const [, dir, rest] = LOOSE.exec(entry.path) ?? [];
    if (dir !== undefined && rest !== undefined) loose.set(dir + rest, entry);
    const [, pack] = PACK_FILE.exec(entry.path) ?? [];
    if (pack !== undefined) packBytes.set(pack, (packBytes.get(pack) ?? 0) + entry.diskBytes);
  }
  const indexBytes = keptIndexes(layout).reduce((sum, index) => sum + index.diskBytes, 0);
  return { diskBytes, indexBytes, loose, packBytes };
}

/** Locks, and what reclaims remember. */
function filesIn(root: string): number {
  const files = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isFile());
  return files.reduce((sum, { name }) => sum + ownDiskBytes(join(root, name)), 0);
}

const BREATH = 500;
const LOOSE = /^objects\/([0-9a-f]{2})\/([0-9a-f]{38})$/;
/** The checksum at the end of a pack. */
const TRAILER_BYTES = 20;
const PACK_FILE = /^objects\/pack\/(pack-[0-9a-f]{40})\.\w+$/;

/** An object takes the room up to the next one. A pack without a readable index has none that anybody could find. */
export async function packedObjects(layout: StoreLayout, name: string): Promise<ReadonlyMap<string, number>> {
  const path = join(layout.objects, 'pack', name);
  try {
    const { stdout } = await runGit({ gitDir: layout.gitDir }, ['show-index'], { input: readFileSync(`${path}.idx`) });
    const found = stdout.toString().split('\n').filter(Boolean);
    const byPlace = found
      .map((line) => line.split(' ', 2))
      .map(([offset = '', id = '']) => ({ id, offset: Number(offset) }))
      .toSorted((a, b) => b.offset - a.offset);
    let end = statSync(`${path}.pack`).size - TRAILER_BYTES;
    return new Map(
      byPlace.map(({ id, offset }) => {
        const sizeBytes = end - offset;
        end = offset;
        return [id, sizeBytes];
      }),
    );
  } catch {
    // Gone or damaged: nothing can be said about what is in it, and nothing is done to it.
    return new Map();
  }
}

/** What each object takes, in whatever places it is. */
export function bytesByObject({ loose, packs }: Pick<StoreSize, 'loose' | 'packs'>): ReadonlyMap<string, number> {
  const bytes = new Map<string, number>();
  const add = (id: string, more: number) => bytes.set(id, (bytes.get(id) ?? 0) + more);
  for (const [id, { diskBytes }] of loose) add(id, diskBytes);
  for (const { objects } of packs) for (const [id, size] of objects) add(id, size);
  return bytes;
}
