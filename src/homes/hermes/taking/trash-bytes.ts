import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ItemOutcome } from '../../../core/retention/run.ts';
import { ownDiskBytes } from '../../../platform/files/walk-tree.ts';
import type { HermesTrash } from './hermes-trash.ts';

/**
 * What rows take on the disk in the trash of a run. They leave a database and become files, so the disk has less until they are
 * purged; files of sessions only move, and are not counted here.
 */
export function rowBytes(root: string): number {
  const names = namesIn(root);
  if (names === undefined) return 0;
  return names.reduce((sum, name) => sum + blockBytes(join(root, name)), ownDiskBytes(root));
}

function blockBytes(path: string): number {
  const rows = (namesIn(path) ?? []).filter((name) => name !== MOVED);
  return rows.reduce((sum, name) => sum + ownDiskBytes(join(path, name)), ownDiskBytes(path));
}

/** The folder of files that were moved, in each block. */
const MOVED = 'files';

/** Undefined for what is no folder. */
function namesIn(path: string): readonly string[] | undefined {
  try {
    return readdirSync(path);
  } catch {
    // What cannot be listed is told by whoever needs it. Here it is only not counted.
    return undefined;
  }
}

/** What the files of an item take on the disk while they are in the trash. */
export function takenBytes({ files }: HermesTrash, number: number): number {
  return files.names(number).reduce((sum, name) => sum + ownDiskBytes(files.pathOf(number, name)), 0);
}

/** Outcomes of which the first that is done bears what all of them gave back as well: rows of many sessions share a file. */
export function withFreed(outcomes: readonly ItemOutcome[], freedBytes: number): ItemOutcome[] {
  const first = outcomes.findIndex(({ status }) => status === 'done');
  return outcomes.map((outcome, at) => {
    if (at !== first || outcome.status !== 'done') return outcome;
    return { ...outcome, freedBytes: freedBytes + (outcome.freedBytes ?? 0) };
  });
}
