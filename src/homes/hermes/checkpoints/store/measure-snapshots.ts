import { GitError, runGit } from '../../../../platform/git/run-git.ts';
import { gitPlace, TIME_LIMIT_MS } from './read-snapshots.ts';

export interface MeasuredSnapshots {
  /** What each frees when it goes before those that stand before it: what none of those has. Undefined when one is broken. */
  readonly freedBytes: ReadonlyMap<string, number> | undefined;
  /** Everything that is stored, needed or not. */
  readonly allBytes: number;
}

/** Measures snapshots of one repository in the order given. */
export async function measureSnapshots(gitDir: string, ids: readonly string[]): Promise<MeasuredSnapshots> {
  const place = gitPlace(gitDir);
  const sizes = await runGit(place, ['cat-file', '--batch-all-objects', '--unordered', SIZES], LIMIT);
  const bytes = new Map<string, number>();
  let allBytes = 0;
  for (const line of sizes.stdout.toString().split('\n').filter(Boolean)) {
    const [id = '', size] = line.split(' ');
    bytes.set(id, Number(size));
    allBytes += Number(size);
  }
  return { freedBytes: await freedBy(gitDir, { ids, bytes }), allBytes };
}

const LIMIT = { timeoutMs: TIME_LIMIT_MS };
const SIZES = '--batch-check=%(objectname) %(objectsize:disk)';
const ORDER = ['--in-commit-order', '--no-walk=unsorted', '--no-object-names'];

async function freedBy(
  gitDir: string,
  { ids, bytes }: { readonly ids: readonly string[]; readonly bytes: ReadonlyMap<string, number> },
): Promise<ReadonlyMap<string, number> | undefined> {
  const freed = new Map(ids.map((id) => [id, 0]));
  if (ids.length === 0) return freed;
  try {
    const input = `${ids.join('\n')}\n`;
    const { stdout } = await runGit(gitPlace(gitDir), ['rev-list', '--objects', ...ORDER, '--stdin'], {
      input,
      ...LIMIT,
    });
    let snapshot = '';
    for (const id of stdout.toString().split('\n').filter(Boolean)) {
      if (freed.has(id)) snapshot = id;
      freed.set(snapshot, (freed.get(snapshot) ?? 0) + (bytes.get(id) ?? 0));
    }
    return freed;
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    return undefined;
  }
}
