import { readFileSync, renameSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Failure } from '../../core/failure.ts';
import type { SharedLock } from '../../core/shared-lock.ts';
import { type Clock, MINUTE_MS } from '../../core/time.ts';
import { errorCode } from '../../platform/error-code.ts';
import { type DirectoryHandle, openBelow } from '../../platform/files/directory-handle.ts';
import { refuseLinks } from '../../platform/files/move-entry.ts';
import { makePrivateDir } from '../../platform/files/private-files.ts';
import { removeIn } from '../../platform/files/remove-tree.ts';
import { writeBelow } from '../../platform/files/write-below.ts';
import { isTemporaryName, temporaryName } from '../../platform/leftovers/temporary-name.ts';
import { DEFAULT_EXCLUDES, type Excludes } from './excludes.ts';
import { findRepositories, findShadows, moveLegacy } from './move-legacy.ts';
import { KEEP, PINS, SNAPSHOTS, type StoreLayout, storeLayout, TRASH } from './store-layout.ts';

/** An open checkpoint store. It holds nothing open: everything is in files, and every lock is taken when it is needed. */
export interface CheckpointStore {
  readonly layout: StoreLayout;
  /** Shared by every take and restore from its first object to its ref; held alone by whoever removes objects. */
  readonly lock: SharedLock;
  /** Held alone by whoever takes or restores in one project. Comes before `lock`, never after. */
  projectLock(projectId: string): SharedLock;
  /** Held alone while refs change that others may change too. Comes after all other locks. */
  readonly refsLock: SharedLock;
  readonly limits: TakeLimits;
  readonly clock: Clock;
}

/** What may enter a checkpoint. */
export interface TakeLimits extends Excludes {
  /** The Coppice home, which is never part of a project. */
  readonly homeRoot: string;
  readonly maxFileBytes: number;
  readonly maxFiles: number;
}

export interface StoreOptions {
  /** The folder of checkpoints in the home. */
  readonly root: string;
  readonly limits: TakeLimits;
  readonly clock: Clock;
  readonly createLock: (path: string) => SharedLock;
}

/**
 * Opens the store to work with it, creating it on first use and moving older layouts aside. Any number of processes may do so
 * at once. What a mishap removed and git needs is put back.
 */
export async function openStore(options: StoreOptions): Promise<CheckpointStore> {
  const layout = storeLayout(options.root);
  if (storeVersion(layout) === undefined) {
    makePrivateDir(layout.home);
    openBelow(layout.home, layout.root, { create: true })[Symbol.dispose]();
    using _alone = await options.createLock(layout.lock).alone(LOCK_WAIT_MS);
    if (storeVersion(layout) === undefined) {
      removeDrafts(layout);
      moveLegacy(layout.root, findRepositories(layout.root), options.clock.now());
      createRepository(layout);
    }
  }
  await moveLater(layout, options);
  return useStore(layout, options);
}

/** How long to wait for others. A first take of a large project may keep its lock this long. */
export const LOCK_WAIT_MS = 2 * MINUTE_MS;

/** Older layouts may also appear when the store is there: a backup that was put back, or an older program that still runs. */
async function moveLater(layout: StoreLayout, { clock, createLock }: StoreOptions): Promise<void> {
  if (findShadows(layout).length === 0) return;
  try {
    using _alone = await createLock(layout.lock).alone(0);
    moveLegacy(layout.root, findShadows(layout), clock.now());
  } catch (error) {
    // Others are at work, or there is no room for a folder. They are shown where they lie, and moved another time.
    if (!(error instanceof Failure) && errorCode(error) === undefined) throw error;
  }
}

/** The store if there is one. Looking creates nothing. */
export function findStore(options: StoreOptions): CheckpointStore | undefined {
  const layout = storeLayout(options.root);
  return storeVersion(layout) === undefined ? undefined : useStore(layout, options);
}

function useStore(layout: StoreLayout, { limits, clock, createLock }: StoreOptions): CheckpointStore {
  const version = storeVersion(layout);
  if (version !== VERSION) throw unknownVersion(layout, version);
  putRight(layout);
  return {
    layout,
    lock: createLock(layout.lock),
    projectLock: (projectId) => createLock(layout.projectLock(projectId)),
    refsLock: createLock(layout.refsLock),
    limits,
    clock,
  };
}

/** Git goes by paths, so what it is about to work in is looked at from the home down: a link is refused. */
function putRight(layout: StoreLayout): void {
  using folder = openBelow(layout.home, layout.gitDir, { create: true });
  for (const dir of DIRS) makeFolders(folder, dir.split('/'));
  for (const dir of LATER_DIRS) refuseLinks(layout.home, join(layout.gitDir, dir));
  for (const [name, content] of FILES) {
    if (readIfThere(join(layout.gitDir, name)) !== content) writeBelow(layout.home, join(layout.gitDir, name), content);
  }
}

function makeFolders(folder: DirectoryHandle, [name, ...rest]: readonly string[]): void {
  if (name === undefined) return;
  using inner = folder.madeFolder(name);
  makeFolders(inner, rest);
}

const VERSION = 1;

/** preciousObjects makes a stray `git gc` or `git prune` refuse to work; version 1 is what makes git heed it. */
const CONFIG = `[core]
	repositoryformatversion = 1
	bare = true
	logAllRefUpdates = false
[extensions]
	preciousObjects = true
[gc]
	auto = 0
[maintenance]
	auto = false
[coppice]
	version = ${VERSION}
`;

/** Wins over the attributes of any project: no conversion, no filter, no other encoding. */
const ATTRIBUTES = '* -text !eol -filter -ident !working-tree-encoding !merge !diff\n';

/** Rewritten whenever they differ. The configuration is not among them: it says whose store this is. */
const FILES = [
  ['HEAD', 'ref: refs/heads/none\n'],
  ['info/attributes', ATTRIBUTES],
  ['info/exclude', DEFAULT_EXCLUDES],
] as const;

/** git calls a directory without `refs` or `objects` no repository, and removes the former when it is empty. */
const DIRS = ['objects/info', 'objects/pack', 'refs/heads', 'info', 'projects', 'indexes', 'locks'] as const;

/** Made by whoever needs one first. */
const LATER_DIRS = ['promises', 'work', SNAPSHOTS, PINS, TRASH, KEEP] as const;

/** The version of our store; undefined when there is none, or another program's. */
function storeVersion(layout: StoreLayout): number | undefined {
  refuseElsewhere(layout);
  const [, version] = /^\[coppice\]\s+version = (\d+)$/m.exec(readIfThere(join(layout.gitDir, 'config')) ?? '') ?? [];
  if (version !== undefined) return Number(version);
  if (readIfThere(layout.attributes) !== ATTRIBUTES) return undefined;
  // Ours without its configuration: taking it for another program's would hide every checkpoint.
  writeBelow(layout.home, join(layout.gitDir, 'config'), CONFIG);
  return VERSION;
}

/** What a crash left of a store that was being made. Nobody else makes one now. */
function removeDrafts({ home, root }: StoreLayout): void {
  using folder = openBelow(home, root, { create: true });
  for (const name of folder.names()) if (isTemporaryName(name)) removeIn(folder, name);
}

/** Built beside its place and renamed, so that a store is whole or not there. */
function createRepository({ home, root, gitDir }: StoreLayout): void {
  using folder = openBelow(home, root, { create: true });
  const name = temporaryName();
  using draft = folder.newFolder(name);
  for (const dir of DIRS) makeFolders(draft, dir.split('/'));
  for (const [file, content] of [...FILES, ['config', CONFIG] as const])
    writeBelow(home, join(root, name, file), content);
  draft.sync();
  renameSync(folder.at(name), folder.at(basename(gitDir)));
  folder.sync();
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

function refuseElsewhere({ home, gitDir }: StoreLayout): void {
  try {
    refuseLinks(home, gitDir);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw new Failure(error.code, error.message, {
      hint: 'It was left as it is. Put the folder itself there; to keep checkpoints on another disk, put the whole home there.',
      cause: error,
    });
  }
}

function unknownVersion({ gitDir }: StoreLayout, version: number | undefined): Failure {
  return new Failure('integrity', `${gitDir} is a checkpoint store of version ${version ?? 'unknown'}.`, {
    hint: `Nothing was changed. This program knows version ${VERSION}: use the one that wrote it, or a newer one.`,
  });
}
