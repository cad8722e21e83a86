import { existsSync, rmdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { errorCode } from '../../../../platform/error-code.ts';
import { openBelow } from '../../../../platform/files/directory-handle.ts';
import { moveEntry } from '../../../../platform/files/move-entry.ts';
import { syncDir } from '../../../../platform/files/private-files.ts';
import { removeTree } from '../../../../platform/files/remove-tree.ts';
import type { ProjectAddress } from '../store/project-address.ts';

/**
 * Folders and files about checkpoints that left a Hermes home as they were, in the trash of a run under the paths they had.
 * Everything can be asked for twice: what is moved already stays where it is.
 */
export interface WholeTrash {
  /** A repository of its own. */
  has(runId: string, address: ProjectAddress): boolean;
  take(runId: string, address: ProjectAddress): void;
  /** What Hermes noted about a project in the store that all share. */
  takeNotes(runId: string, address: ProjectAddress): void;
  /** Any path in the home. */
  takePath(runId: string, path: string): void;
  hasPath(runId: string, path: string): boolean;
  /** Where a path is once it was taken. */
  placeOf(runId: string, path: string): string;
  /** Brings back whatever of it nothing stands in the way of. False when something does. */
  bringBack(runId: string, path: string): boolean;
  giveNotesBack(runId: string, address: ProjectAddress): void;
  /** Removes a path for good. */
  purge(runId: string, path: string): Promise<void>;
  /** Whether anything was moved, or is about to be. */
  begun(runId: string): boolean;
}

/** `trashDir` is where the trash of a run is, below `home`, so that moving is renaming. */
export function openWholeTrash(home: string, trashDir: (runId: string) => string): WholeTrash {
  const root = (runId: string) => join(trashDir(runId), WHOLE_FOLDER);
  const move = (from: string, to: string) => {
    if (moveEntry(home, from, to) === 'nothing-there') return;
    for (const path of [from, to, dirname(to)]) syncDir(dirname(path));
  };
  const trash: WholeTrash = {
    has: (runId, { repository, ref }) => ref === undefined && trash.hasPath(runId, repository),
    take: (runId, { repository }) => trash.takePath(runId, repository),
    takeNotes(runId, address) {
      for (const path of notesOf(address)) if (existsSync(join(home, path))) trash.takePath(runId, path);
    },
    takePath(runId, path) {
      if (!trash.hasPath(runId, path)) move(join(home, path), trash.placeOf(runId, path));
    },
    hasPath: (runId, path) => existsSync(trash.placeOf(runId, path)),
    placeOf: (runId, path) => join(root(runId), path),
    bringBack(runId, path) {
      if (!trash.hasPath(runId, path)) return true;
      if (existsSync(join(home, path))) return false;
      move(trash.placeOf(runId, path), join(home, path));
      removeEmpty(home, join(root(runId), dirname(path)), dirname(trashDir(runId)));
      return true;
    },
    giveNotesBack(runId, address) {
      for (const path of notesOf(address)) trash.bringBack(runId, path);
    },
    async purge(runId, path) {
      await removeTree(home, trash.placeOf(runId, path));
      removeEmpty(home, join(root(runId), dirname(path)), dirname(trashDir(runId)));
    },
    begun: (runId) => existsSync(root(runId)),
  };
  return trash;
}

/** In the trash of a run. */
export const WHOLE_FOLDER = 'whole';

/** A folder of the home and those above it up to an end that stays, as long as nothing is in them. */
function removeEmpty(home: string, dir: string, end: string): void {
  for (let at = dir; at !== end; at = dirname(at)) {
    try {
      using above = openBelow(home, dirname(at));
      if (above !== undefined) rmdirSync(above.at(basename(at)));
    } catch (error) {
      if (errorCode(error) === 'ENOENT') continue;
      if (errorCode(error) !== undefined) return;
      throw error;
    }
  }
}

function notesOf({ repository, hash }: ProjectAddress): string[] {
  return ['projects', 'ledgers'].map((folder) => `${repository}/${folder}/${hash}.json`);
}
