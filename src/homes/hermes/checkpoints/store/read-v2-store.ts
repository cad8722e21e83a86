import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject } from '../../../../core/json.ts';
import type { Problem } from '../../../../core/problem.ts';
import { listNames } from '../../../../platform/files/list-names.ts';
import { runGit } from '../../../../platform/git/run-git.ts';
import type { Found, HermesProject, HermesSnapshot } from './hermes-project.ts';
import { badMetadata, badRepository, gitPlace, projectHash, readSnapshots, TIME_LIMIT_MS } from './read-snapshots.ts';

/** Reads the store that all projects share. A project is known by its ref, by its page, or by both. */
export async function readV2Store(home: string, repository: string): Promise<Found> {
  const problems: Problem[] = [];
  let refs: ReadonlySet<string> = new Set();
  try {
    refs = await readRefs(join(home, repository));
  } catch (error) {
    problems.push(badRepository(repository, error));
  }
  const projects: HermesProject[] = [];
  for (const hash of [...new Set([...refs, ...pages(join(home, repository))])].toSorted()) {
    const page = `${repository}/projects/${hash}.json`;
    const facts = readPage(join(home, page), hash);
    if (facts === undefined) problems.push(badMetadata(page, 'is missing or does not fit its project'));
    let snapshots: readonly HermesSnapshot[] = [];
    try {
      if (refs.has(hash)) snapshots = await readSnapshots(join(home, repository), REFS + hash);
    } catch (error) {
      problems.push(badRepository(`${repository}/${REFS}${hash}`, error));
    }
    projects.push({ layout: 'v2', hash, repository, ...facts, snapshots });
  }
  return { projects, problems };
}

const REFS = 'refs/hermes/';

/** A ref may be a file of its own or a line among others, so git is asked. */
async function readRefs(gitDir: string): Promise<Set<string>> {
  const args = ['for-each-ref', '--format=%(refname)', REFS];
  const { stdout } = await runGit(gitPlace(gitDir), args, { timeoutMs: TIME_LIMIT_MS });
  const names = stdout
    .toString()
    .split('\n')
    .filter((name) => name !== '');
  return new Set(names.map((name) => name.slice(REFS.length)));
}

function pages(store: string): string[] {
  const names = listNames(join(store, 'projects')).filter((name) => name.endsWith('.json'));
  return names.map((name) => name.slice(0, -'.json'.length));
}

/** What Hermes noted about every project, as far as it can be read. */
export function readPages(home: string, repository: string): ({ readonly hash: string } & Page)[] {
  return pages(join(home, repository)).flatMap((hash) => {
    const page = readPage(join(home, repository, 'projects', `${hash}.json`), hash);
    return page === undefined ? [] : [{ hash, ...page }];
  });
}

type Page = { readonly workdir: string } & Pick<HermesProject, 'lastTouchAt' | 'parent'>;

/** What Hermes noted about a project. Undefined when it is missing, damaged or about another folder. */
export function readPage(path: string, hash: string): Page | undefined {
  let page: unknown;
  try {
    page = JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
  const workdir = isJsonObject(page) ? page['workdir'] : undefined;
  if (!isJsonObject(page) || typeof workdir !== 'string' || projectHash(workdir) !== hash) return undefined;
  const { last_touch: touched, workdir_parent_dev: dev, workdir_parent_ino: ino } = page;
  const known = typeof dev === 'number' && typeof ino === 'number';
  return {
    workdir,
    ...(typeof touched === 'number' && { lastTouchAt: Math.floor(touched * 1000) }),
    ...(known && { parent: { dev: String(dev), ino: String(ino) } }),
  };
}
