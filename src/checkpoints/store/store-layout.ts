import { hash } from 'node:crypto';
import { dirname, join } from 'node:path';

/** Where everything of a checkpoint store is. */
export interface StoreLayout {
  /** The home that all of this lies in. Whatever is written or removed is reached from here, through real folders alone. */
  readonly home: string;
  /** The folder that holds the store and older layouts. */
  readonly root: string;
  /** The bare repository. */
  readonly gitDir: string;
  /** Attributes that win over those of any project: content is saved byte for byte. */
  readonly attributes: string;
  readonly objects: string;
  readonly projects: string;
  /** Shared by every take, held alone by whoever removes objects. */
  readonly lock: string;
  /** Where indexes wait between takes: a cache beside the store, which anybody may remove at any time. */
  readonly indexes: string;
  /** Commits that are about to have a ref, each as an empty file. */
  readonly promises: string;
  /** Who is at work here, each in a file of its own. */
  readonly work: string;
  /** Held alone by whoever changes refs that others may change too, for the moment that takes. */
  readonly refsLock: string;
  project(projectId: string): string;
  /** Git's index of a project while it is in use. */
  index(projectId: string): string;
  projectLock(projectId: string): string;
}

export function storeLayout(root: string): StoreLayout {
  const gitDir = join(root, 'store');
  const home = dirname(root);
  return {
    home,
    root,
    gitDir,
    attributes: join(gitDir, 'info', 'attributes'),
    objects: join(gitDir, 'objects'),
    projects: join(gitDir, 'projects'),
    lock: join(root, 'lock.db'),
    indexes: join(home, 'cache', 'checkpoint-indexes'),
    promises: join(gitDir, 'promises'),
    work: join(gitDir, 'work'),
    refsLock: join(gitDir, 'locks', 'refs.db'),
    project: (projectId) => join(gitDir, 'projects', `${projectId}.json`),
    index: (projectId) => join(gitDir, 'indexes', projectId),
    projectLock: (projectId) => join(gitDir, 'locks', `${projectId}.db`),
  };
}

/** The name of a project: made of its real path, so that it is the same whoever asks. */
export function projectIdOf(workdir: string): string {
  return hash('sha256', workdir, 'hex').slice(0, 16);
}

/** Each checkpoint has a ref of its own and no parents: dropping one changes no other. */
export const SNAPSHOTS = 'refs/coppice/snapshots';
export const PINS = 'refs/coppice/pins';
export const TRASH = 'refs/coppice/trash';
/** What a restore went back to and came from, held until it can no longer be undone: whatever these point at stays. */
export const KEEP = 'refs/coppice/keep';

export function snapshotRef(projectId: string, id: string): string {
  return `${SNAPSHOTS}/${projectId}/${id}`;
}

export function pinRef(id: string): string {
  return `${PINS}/${id}`;
}

/** Where a removed checkpoint waits: its objects stay as long as this ref does. */
export function trashRef(runId: string, number: number): string {
  return `${TRASH}/${runId}/${number}`;
}

export function keepRef(runId: string, role: 'target' | 'safety'): string {
  return `${KEEP}/${runId}/${role}`;
}
