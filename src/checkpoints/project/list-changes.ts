import { runGit } from '../../platform/git/run-git.ts';
import { splitNul } from './diff-trees.ts';
import { type Excludes, excludeArgs } from '../store/excludes.ts';
import { type FilesPlace, runGitOverFiles } from './git-over-files.ts';

/** A path whose file differs from the index: `?` is new, `C` changed, `R` seems removed. Names are bytes, not text. */
export interface Change {
  readonly tag: '?' | 'C' | 'R';
  readonly path: Buffer;
}

export interface Listing {
  readonly changes: readonly Change[];
  /** Directories that could not be looked into, and ignore files that are no files. */
  readonly closed: readonly string[];
}

export interface ListOptions extends Excludes {
  /** More paths than this, and the walk is given up: `too-many`. */
  readonly maxPaths: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Compares a working directory with its index in one walk, ignore rules applied. A repository inside it is seen by git as one
 * closed thing until the index knows a path in it; so it is given one, of a file that does not exist, and the walk repeated.
 */
export async function listChanges(place: FilesPlace, options: ListOptions): Promise<Listing | 'too-many'> {
  let opened = 0;
  for (;;) {
    const listing = await walk(place, options);
    if (listing === 'too-many') return listing;
    const [nested, changes] = partition(listing.changes, ({ path }) => path.at(-1) === SLASH);
    // One that stays closed although it was opened cannot be read.
    if (nested.length === 0 || opened > MAX_NESTING) {
      return { changes, closed: [...listing.closed, ...nested.map(({ path }) => path.toString())] };
    }
    opened += 1;
    const seeds = nested.map(({ path }) => Buffer.concat([SEED_ENTRY, path, Buffer.from(`${SEED_NAME}\0`)]));
    await runGit(place, ['update-index', '-z', '--index-info'], {
      input: Buffer.concat(seeds),
      signal: options.signal,
    });
  }
}

/** What the index holds although the rules, as they are now, leave it out. */
export async function listIgnored(place: FilesPlace, options: ListOptions): Promise<Buffer[]> {
  const args = ['ls-files', '-z', '--cached', '--ignored', ...excludeArgs(place, options)];
  return splitNul((await runGitOverFiles(place, args, { signal: options.signal })).stdout);
}

const SLASH = '/'.charCodeAt(0);
const MAX_NESTING = 20;

/** Mode and name of an empty file, as `--index-info` takes them. */
const SEED_ENTRY = Buffer.from('100644 e69de29bb2d1d6434b8b29ae775ad8c2e48c5391\t');
const SEED_NAME = '.coppice-seed';

async function walk(place: FilesPlace, options: ListOptions): Promise<Listing | 'too-many'> {
  const { maxPaths, signal } = options;
  const args = ['ls-files', '-t', '-z', '-o', '-m', '-d', ...excludeArgs(place, options)];
  let paths = 0;
  const goOn = (chunk: Buffer) => {
    for (let at = chunk.indexOf(0); at >= 0; at = chunk.indexOf(0, at + 1)) paths += 1;
    return paths <= maxPaths;
  };
  try {
    const { stdout, stderr, pipes } = await runGitOverFiles(place, args, { signal, goOn });
    return { changes: splitNul(stdout).map(toChange), closed: [...closedDirs(stderr), ...pipes] };
  } catch (error) {
    if (paths > maxPaths) return 'too-many';
    throw error;
  }
}

/** `? name`. Any tag that is not one of the other two is a file that differs. */
function toChange(record: Buffer): Change {
  const tag = String.fromCharCode(record[0] ?? 0);
  return { tag: tag === '?' || tag === 'R' ? tag : 'C', path: record.subarray(2) };
}

/** git warns of them and goes on. */
function closedDirs(stderr: string): string[] {
  return [...stderr.matchAll(/^warning: could not open directory '(.*?)\/?': /gms)].map(([, path = '']) => path);
}

function partition<T>(items: readonly T[], test: (item: T) => boolean): [T[], T[]] {
  return [items.filter((item) => test(item)), items.filter((item) => !test(item))];
}
