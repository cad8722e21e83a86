import { lstatSync, rmdirSync } from 'node:fs';
import type { RestoredFile } from '../core/checkpoint.ts';
import { isDiskFull } from '../platform/error-code.ts';
import type { TreeChange } from './diff-trees.ts';
import type { Contents } from './restore-contents.ts';
import { type Folder, openPlace, type Place } from './worktree-folder.ts';
import { judgeChange } from './worktree-judge.ts';
import { outcomeOf, sentenceOf } from './worktree-outcome.ts';
import { type StagedEntry, stageEntry } from './worktree-write.ts';

/** So many files are open at once at most. */
export const BATCH_FILES = 64;
const BATCH_BYTES = 16 * 1024 * 1024;

export interface BatchParts {
  readonly root: Folder;
  readonly contents: Contents;
}

/**
 * Writes files beside their places, syncs them together, and then puts each in its place in one step: a disk syncs many files in
 * hardly more time than one. Returns what became of the first of these changes, in order. The rest is for the next batch, because
 * there is no room for so many at once.
 */
export async function writeBatch(parts: BatchParts, changes: readonly TreeChange[]): Promise<RestoredFile[]> {
  const steps: Step[] = [];
  let sizeBytes = 0;
  try {
    for (const change of changes) {
      const step = await prepare(parts, change);
      // What is in place gives room back, so it is tried again after that.
      if (step.noRoom === true && steps.length > 0) break;
      steps.push(step);
      sizeBytes += step.waiting?.staged.sizeBytes ?? 0;
      if (sizeBytes >= BATCH_BYTES) break;
    }
    await Promise.all(steps.map(sync));
    return steps.map((step) => outcomeOf(step.change, putInPlace(step)));
  } finally {
    for (const { waiting } of steps) {
      waiting?.staged[Symbol.dispose]();
      waiting?.place[Symbol.dispose]();
    }
  }
}

interface Step {
  readonly change: TreeChange;
  /** Why the path is left alone. */
  detail?: string | undefined;
  readonly noRoom?: boolean;
  /** What waits to be put in place. */
  readonly waiting?: Waiting;
}

interface Waiting {
  readonly place: Place & { readonly folder: Folder };
  readonly staged: StagedEntry;
  /** What was found there when it was judged. */
  readonly found: string;
}

async function prepare(parts: BatchParts, change: TreeChange): Promise<Step> {
  try {
    const prepared = await stage(parts, change);
    return typeof prepared === 'object' ? { change, waiting: prepared } : { change, detail: prepared };
  } catch (error) {
    return { change, detail: sentenceOf(error), noRoom: isDiskFull(error) };
  }
}

/** A sentence when the path is left alone, nothing when there is nothing to do. */
async function stage({ root, contents }: BatchParts, change: TreeChange): Promise<Waiting | string | undefined> {
  const { path, to } = change;
  const found = stampAt(root, path);
  const verdict = await judgeChange(root, change);
  if (verdict.kind === 'stop') return verdict.why;
  const place = openPlace(root, path, { create: verdict.kind === 'act' });
  const { folder, name } = place;
  try {
    if (folder === undefined || to === undefined) return 'A file or link stands where its folder should be.';
    if (verdict.kind === 'act') {
      const staged = await stageEntry({ folder, name, entry: to, content: contents.read(to.oid) });
      return { place: place as Waiting['place'], staged, found };
    }
  } catch (error) {
    place[Symbol.dispose]();
    throw error;
  }
  place[Symbol.dispose]();
  return undefined;
}

async function sync(step: Step): Promise<void> {
  try {
    await step.waiting?.staged.sync();
  } catch (error) {
    step.detail = sentenceOf(error);
  }
}

/** Why it was not, if it was not. What was changed since it was judged is something that no checkpoint holds. */
function putInPlace({ detail, waiting }: Step): string | undefined {
  if (detail !== undefined || waiting === undefined) return detail;
  const { place, staged, found } = waiting;
  try {
    if (stampOf(place) !== found) return 'It was changed at this very moment, so it stays as it is.';
    removeEmptyTree(place.folder, place.name);
    staged.put();
    return undefined;
  } catch (error) {
    return sentenceOf(error);
  }
}

function stampAt(root: Folder, path: Buffer): string {
  using place = openPlace(root, path, { create: false });
  return stampOf(place);
}

/** The same as long as nothing there was changed. */
function stampOf({ folder, name }: Place): string {
  const stat = folder && lstatSync(folder.at(name), { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? 'none' : [stat.ino, stat.mode, stat.size, stat.mtimeNs, stat.ctimeNs].join('-');
}

/** A folder in the way of a file, when nothing but empty folders is in it. Whatever else is there makes this fail. */
function removeEmptyTree(folder: Folder, name: Buffer): void {
  {
    using inner = folder.open(name);
    if (inner === undefined) return;
    for (const child of inner.names()) removeEmptyTree(inner, child);
  }
  rmdirSync(folder.at(name));
}
