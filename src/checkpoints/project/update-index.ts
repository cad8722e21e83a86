import { accessSync, constants, lstatSync } from 'node:fs';
import type { LeftOutFile, TakeOptions } from '../../core/retention/checkpoint.ts';
import { GitError, type GitOptions, type GitPlace, runGit } from '../../platform/git/run-git.ts';
import { joinNul } from './diff-trees.ts';
import { type Sorted, sortChanges } from './sort-changes.ts';
import { isStoreError } from '../store/git-failures.ts';
import { type FilesPlace, runGitOverFiles } from './git-over-files.ts';
import { dropIndexLock } from './work-index.ts';

export interface UpdatePlace extends FilesPlace {
  readonly indexFile: string;
}

export interface UpdateOptions extends TakeOptions {
  readonly maxFileBytes: number;
}

/** Saves the files and brings the index up to date. Returns what could not be saved after all; the rest is. */
export async function updateIndex(place: UpdatePlace, sorted: Sorted, options: UpdateOptions): Promise<LeftOutFile[]> {
  const { signal, maxFileBytes } = options;
  await drop(place, sorted.drop, signal);
  const failed = await save(place, sorted.save, { signal, ...counting(sorted.save.length, options) });
  // A file may have grown past the limit while it was read.
  const again = sorted.save.map((path) => ({ tag: 'C' as const, path }));
  const grown = sortChanges(place.workTree, again, maxFileBytes).drop;
  await drop(place, grown, signal);
  return [...failed, ...grown.map((path) => leftOut(path, 'changing'))];
}

async function drop(place: GitPlace, paths: readonly Buffer[], signal?: AbortSignal): Promise<void> {
  if (paths.length === 0) return;
  await runGit(place, ['update-index', '--force-remove', '-z', '--stdin'], { input: joinNul(paths), signal });
}

/** git gives up at the first file it cannot read, so what it stumbles over is found and left out. */
async function save(place: UpdatePlace, paths: readonly Buffer[], options: GitOptions): Promise<LeftOutFile[]> {
  if (paths.length === 0) return [];
  try {
    const { pipes } = await runGitOverFiles(place, SAVE, { ...options, input: joinNul(paths) });
    return pipes.map((path) => ({ path, why: 'unreadable' }));
  } catch (error) {
    if (!isAboutAFile(error)) throw error;
    // One that was ended by a signal left its lock behind.
    dropIndexLock(place.indexFile);
  }
  const closed = new Set(paths.filter((path) => !readable(place.workTree, path)));
  if (closed.size > 0) {
    const rest = paths.filter((path) => !closed.has(path));
    return [...[...closed].map((path) => leftOut(path, 'unreadable')), ...(await save(place, rest, options))];
  }
  const [only] = paths;
  if (only !== undefined && paths.length === 1) return [leftOut(only, 'changing')];
  const half = Math.ceil(paths.length / 2);
  return [...(await save(place, paths.slice(0, half), options)), ...(await save(place, paths.slice(half), options))];
}

const SAVE = ['update-index', '--add', '--remove', '--replace', '-z', '--stdin'] as const;

/** Git is quiet about it, and slow when it is not: what it has read of the list tells how far it is, but for a few files. */
function counting(total: number, { onProgress }: UpdateOptions): Pick<GitOptions, 'onFed'> {
  return onProgress === undefined ? {} : { onFed: (part) => onProgress(Math.floor(part * total), total) };
}

/** A file that shrinks while git reads it ends git by a signal; one that changes otherwise may not match its own name. */
function isAboutAFile(error: unknown): boolean {
  if (!(error instanceof GitError) || isStoreError(error)) return false;
  return /Unable to process path|unstable object source data|ended by SIGBUS/.test(error.stderr);
}

function readable(workTree: string, path: Buffer): boolean {
  const full = Buffer.concat([Buffer.from(`${workTree}/`), path]);
  try {
    if (lstatSync(full, { throwIfNoEntry: false })?.isFile() === true) accessSync(full, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

function leftOut(path: Buffer, why: LeftOutFile['why']): LeftOutFile {
  return { path: path.toString(), why };
}
