import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Problem } from '../../../../core/problem.ts';
import { errorCode } from '../../../../platform/error-code.ts';
import { walkTree } from '../../../../platform/files/walk-tree.ts';
import type { HermesProject } from './hermes-project.ts';
import { readV1Project, readWorkdir } from './read-v1-project.ts';
import { readPages, readV2Store } from './read-v2-store.ts';

export interface HermesCheckpoints {
  readonly projects: readonly HermesProject[];
  /** All layouts together. */
  readonly sizeBytes: number;
  /** What each repository takes, by its path in the home. */
  readonly sizes: ReadonlyMap<string, number>;
  readonly problems: readonly Problem[];
}

/** Lists the checkpoints of a Hermes home in every layout it may have. Reads only; what does not fit is a problem. */
export async function listHermesCheckpoints(home: string): Promise<HermesCheckpoints> {
  const sizes = sumRepositories(home);
  const problems: Problem[] = [];
  const projects: HermesProject[] = [];
  const found = repositories(home, problems);
  for (const repository of found) {
    const layout = layoutOf(repository, found);
    const sizeBytes = sizes.byRepository.get(repository) ?? 0;
    const read =
      layout === 'v2'
        ? await readV2Store(home, repository)
        : await readV1Project(home, { repository, sizeBytes, layout });
    projects.push(...read.projects);
    problems.push(...read.problems);
  }
  return { projects, sizeBytes: sizes.sizeBytes, sizes: sizes.byRepository, problems };
}

/** Hermes moves older ones aside when it makes the store, so beside it they are left over. */
function layoutOf(repository: string, all: readonly string[]): HermesProject['layout'] {
  if (repository === STORE) return 'v2';
  return all.includes(STORE) || repository.startsWith('checkpoints/legacy-') ? 'legacy' : 'v1';
}

const STORE = 'checkpoints/store';

/** What all checkpoints in use take, without a look at them. */
export function hermesCheckpointBytes(home: string): number {
  const found = repositories(home, []);
  const { byRepository } = sumRepositories(home);
  const used = found.filter((repository) => layoutOf(repository, found) !== 'legacy');
  return used.reduce((sum, repository) => sum + (byRepository.get(repository) ?? 0), 0);
}

/** A folder that Hermes takes checkpoints of, as it noted it. */
export interface HermesWorkdir extends Pick<HermesProject, 'layout' | 'hash' | 'repository' | 'parent'> {
  readonly workdir: string;
}

/** The folders of all checkpoints in use, without a look at those: no git is asked. What is not noted is left out. */
export function listHermesWorkdirs(home: string): HermesWorkdir[] {
  const found = repositories(home, []);
  return found.flatMap((repository): HermesWorkdir[] => {
    const layout = layoutOf(repository, found);
    if (layout === 'v2') return readPages(home, repository).map((page) => ({ layout, repository, ...page }));
    const workdir = layout === 'v1' ? readWorkdir(join(home, repository)) : undefined;
    return workdir === undefined ? [] : [{ layout, repository, hash: basename(repository), workdir }];
  });
}

/** The repositories by their paths in the home: the store, those of the older layout, and those that were moved aside. */
function repositories(home: string, problems: Problem[]): string[] {
  const known = (path: string, name: string): string[] => {
    if (HASH.test(name)) return [`${path}/${name}`];
    problems.push(unknown(`${path}/${name}`));
    return [];
  };
  return list(home, 'checkpoints', problems).flatMap((name) => {
    const path = `checkpoints/${name}`;
    if (name === '.last_prune') return [];
    if (name === 'store') return [path];
    if (!LEGACY.test(name)) return known('checkpoints', name);
    return list(home, path, problems).flatMap((below) => known(path, below));
  });
}

const HASH = /^[0-9a-f]{16}$/;
const LEGACY = /^legacy-\d{8}-\d{6}$/;

function list(home: string, path: string, problems: Problem[]): string[] {
  try {
    return readdirSync(join(home, path)).toSorted();
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') problems.push(unknown(path));
    return [];
  }
}

function sumRepositories(home: string): { sizeBytes: number; byRepository: ReadonlyMap<string, number> } {
  const byRepository = new Map<string, number>();
  let sizeBytes = 0;
  for (const entry of walkTree(join(home, 'checkpoints'))) {
    if (entry.kind === 'unreadable') continue;
    sizeBytes += entry.diskBytes;
    const depth = entry.path.startsWith('legacy-') ? 2 : 1;
    const repository = `checkpoints/${entry.path.split('/', depth).join('/')}`;
    byRepository.set(repository, (byRepository.get(repository) ?? 0) + entry.diskBytes);
  }
  return { sizeBytes, byRepository };
}

function unknown(path: string): Problem {
  return {
    kind: 'unknown-file',
    subject: path,
    message: `${path} is not a checkpoint that Coppice knows. It is left alone.`,
  };
}
