import { GitError, type GitPlace, runGit } from '../../../../platform/git/run-git.ts';
import { gitPlace } from './read-snapshots.ts';

/** The snapshots of one project as Hermes keeps them: each has the one before it as its parent. */
export interface Chain {
  /** Undefined when nothing is saved any more. */
  readonly ref: string | undefined;
  /** Newest first. */
  readonly ids: readonly string[];
}

/**
 * The history of a project: of its ref in the store, or of the only branch of a repository of its own. Undefined when it is
 * none that Hermes writes, such as one with several branches: then nothing is cut from it.
 */
export async function readChain(gitDir: string, ref: string | undefined): Promise<Chain | undefined> {
  const place = gitPlace(gitDir);
  const refs = (
    await runGit(place, ['for-each-ref', '--format=%(refname)', ...(ref === undefined ? [] : [ref])])
  ).stdout
    .toString()
    .split('\n')
    .filter(Boolean);
  const [found] = refs;
  if (refs.length > 1) return undefined;
  if (found === undefined) return { ref: undefined, ids: [] };
  const { stdout } = await runGit(place, ['rev-list', '--parents', found]);
  const lines = stdout
    .toString()
    .split('\n')
    .filter(Boolean)
    .map((line) => line.split(' '));
  return lines.every(({ length }) => length <= 2) ? { ref: found, ids: lines.map(([id = '']) => id) } : undefined;
}

/** The parents that commits name themselves, wherever a history is cut. Those that are not there are left out. */
export async function namedParents(
  place: GitPlace,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string | undefined>> {
  const parents = new Map<string, string | undefined>();
  const { stdout } = await runGit(place, ['cat-file', '--batch'], { input: ids.map((id) => `${id}\n`).join('') });
  for (let at = 0; at < stdout.length; ) {
    const end = stdout.indexOf('\n', at);
    const [id = '', kind, size] = stdout.subarray(at, end).toString().split(' ');
    at = end + 1;
    if (kind !== 'commit') continue;
    const text = stdout.subarray(at, at + Number(size)).toString('latin1');
    parents.set(id, /^tree .*\n(?:parent ([0-9a-f]{40})\n)?/.exec(text)?.[1]);
    at += Number(size) + 1;
  }
  return parents;
}

/** Whether everything that these snapshots consist of is there. */
export async function areWhole(place: GitPlace, ids: readonly string[]): Promise<boolean> {
  if (ids.length === 0) return true;
  const args = ['rev-list', '--objects', '--no-walk=unsorted', '--quiet', '--stdin'];
  try {
    await runGit(place, args, { input: `${ids.join('\n')}\n` });
    return true;
  } catch (error) {
    if (error instanceof GitError && error.code !== undefined) return false;
    throw error;
  }
}
