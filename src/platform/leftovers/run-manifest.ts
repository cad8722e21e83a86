import { renameSync, rmSync } from 'node:fs';
import type { RunItem } from '../../core/retention/run.ts';
import { appendDurably } from '../files/append-durably.ts';
import type { DirectoryHandle } from '../files/directory-handle.ts';

/** What a run took, in its trash, for people who have only the files. */
const MANIFEST = 'manifest.jsonl';
/** The same under the name that says: all of this goes for good. */
const GIVEN_UP = 'manifest-given-up.jsonl';

/** Writes down items that are about to be taken, one line each. */
export function addToManifest(trash: DirectoryHandle, items: readonly RunItem[]): void {
  appendDurably(trash.at(MANIFEST), items.map((item) => `${lineOf(item)}\n`).join(''));
}

/** Whether a name in the trash of a run is that of the manifest, however it stands. */
export function isManifest(name: string): boolean {
  return name === MANIFEST || name === GIVEN_UP;
}

export function removeManifest(trash: DirectoryHandle): void {
  for (const name of [MANIFEST, GIVEN_UP]) rmSync(trash.at(name), { force: true });
}

/**
 * Notes that everything in the trash of a run goes for good. A new name takes no space, so this can be said where nothing can be
 * written. Durable. False where there is no manifest to say it by.
 */
export function giveUpTrash(trash: DirectoryHandle): boolean {
  if (isGivenUp(trash)) return true;
  if (trash.look(MANIFEST) === undefined) return false;
  renameSync(trash.at(MANIFEST), trash.at(GIVEN_UP));
  trash.sync();
  return true;
}

export function isGivenUp(trash: DirectoryHandle): boolean {
  return trash.look(GIVEN_UP) !== undefined;
}

function lineOf({ number, item, action, reason }: RunItem): string {
  return JSON.stringify({ number, kind: item.kind, id: item.id, action, reason });
}
