import { type Dirent, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isNativeHome } from '../../homes/native/is-native-home.ts';
import { nativeLayout } from '../../homes/native/native-layout.ts';
import { isThere } from '../../platform/files/is-there.ts';
import { realPathIfThere } from '../../platform/machine/real-path-if-there.ts';
import { findForeign } from '../find-home.ts';
import { NATIVE } from './home-names.ts';
import { agentOf, type Environment, knownHomes } from './known-homes.ts';

/** A home that nobody named, found by looking into folders. */
export interface StrayHome {
  readonly path: string;
  readonly kind: string;
  readonly agent: string;
}

export interface HomeScan {
  /** Homes that are not in the list. */
  readonly found: readonly StrayHome[];
  readonly folders: number;
  /** There were more folders than are looked at. */
  readonly cut: boolean;
}

/** So deep below where it begins. */
const DEPTH = 3;
const MOST_FOLDERS = 20_000;

/** Looks for homes below a folder by names alone. Enters no link and nothing that is a home already, and changes nothing. */
export async function scanForHomes(env: Environment, root: string, signal?: AbortSignal): Promise<HomeScan> {
  const { homes } = await knownHomes(env);
  const known = new Set(homes.map(({ path }) => realPathIfThere(path)));
  const found: StrayHome[] = [];
  let folders = 0;
  const level = [{ path: root, depth: 0 }];
  for (let next = level.shift(); next !== undefined; next = level.shift()) {
    signal?.throwIfAborted();
    if (folders >= MOST_FOLDERS) return { found, folders, cut: true };
    folders += 1;
    const { path, depth } = next;
    const isKnown = known.has(realPathIfThere(path));
    const kind = isKnown ? undefined : await kindOf(path);
    if (kind !== undefined) found.push({ path, kind, agent: agentOf(kind) });
    if (isKnown || kind !== undefined || depth === DEPTH) continue;
    for (const name of foldersIn(path)) level.push({ path: join(path, name), depth: depth + 1 });
  }
  return { found, folders, cut: false };
}

async function kindOf(path: string): Promise<string | undefined> {
  try {
    if (isThere(nativeLayout(path).database) && isNativeHome(path)) return NATIVE;
    return (await findForeign(path))?.kind;
  } catch {
    // What cannot be looked at is nothing that could be added.
    return undefined;
  }
}

/** Folders that hold what others have made, in great numbers. */
const NOT_ENTERED: ReadonlySet<string> = new Set([
  'node_modules',
  '.git',
  '.cache',
  '.npm',
  '.cargo',
  '.rustup',
  'proc',
  'sys',
]);

function foldersIn(path: string): string[] {
  let entries: Dirent[];
  try {
    entries = readdirSync(path, { withFileTypes: true });
  } catch {
    return [];
  }
  const folders = entries.filter((entry) => entry.isDirectory() && !NOT_ENTERED.has(entry.name));
  return folders.map(({ name }) => name).toSorted();
}
