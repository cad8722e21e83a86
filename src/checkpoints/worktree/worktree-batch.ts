import { rmdirSync } from 'node:fs';
import type { RestoredFile } from '../../core/retention/checkpoint.ts';
import { isDiskFull } from '../../platform/error-code.ts';
import type { TreeChange } from '../project/diff-trees.ts';
import type { Contents } from './restore-contents.ts';
import { JUST_CHANGED, stampOf } from './worktree-entry.ts';
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
  let place = openPlace(root, path, { create: false });
  let waiting: Waiting | undefined;
  try {
    const found = stampOf(place);
    const verdict = await judgeChange({ root, place }, change);
    if (verdict.kind === 'stop') return verdict.why;
    if (verdict.kind === 'nothing-to-do') return undefined;
    // Nothing has the name where a folder on the way is missing, and nothing may have it by then.
    if (place.folder === undefined) place = openPlace(root, path, { create: true });
    const { folder, name } = place;
    if (folder === undefined || to === undefined) return 'A file or link stands where its folder should be.';
    const staged = await stageEntry({ folder, name, entry: to, content: contents.read(to.oid) });
    waiting = { place: place as Waiting['place'], staged, found };
    return waiting;
  } finally {
    if (waiting === undefined) place[Symbol.dispose]();
  }
}

async function sync(step: Step): Promise<void> {
  try {
    await step.waiting?.staged.sync();
  } catch (error) {
    step.detail = sentenceOf(error);
  }
}

/** Why it was not, if it was not. */
function putInPlace({ detail, waiting }: Step): string | undefined {
  if (detail !== undefined || waiting === undefined) return detail;
  const { place, staged, found } = waiting;
  try {
    if (stampOf(place) !== found) return JUST_CHANGED;
    removeEmptyTree(place.folder, place.name);
    staged.put();
    return undefined;
  } catch (error) {
    return sentenceOf(error);
  }
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
