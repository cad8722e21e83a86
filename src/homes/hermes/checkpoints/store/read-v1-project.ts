import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Found, HermesSnapshot } from './hermes-project.ts';
import { badMetadata, badRepository, projectHash, readSnapshots } from './read-snapshots.ts';

/** Reads one repository of the older layout, in its place or moved aside. */
export async function readV1Project(
  home: string,
  { repository, sizeBytes, layout }: { repository: string; sizeBytes: number; layout: 'v1' | 'legacy' },
): Promise<Found> {
  const hash = basename(repository);
  const workdir = readWorkdir(join(home, repository));
  const problems =
    workdir !== undefined ? [] : [badMetadata(`${repository}/${MARKER}`, 'is missing or does not fit its repository')];
  let snapshots: readonly HermesSnapshot[] = [];
  try {
    snapshots = await readSnapshots(join(home, repository), '--all');
  } catch (error) {
    problems.push(badRepository(repository, error));
  }
  return {
    projects: [{ layout, hash, repository, ...(workdir !== undefined && { workdir }), snapshots, sizeBytes }],
    problems,
  };
}

const MARKER = 'HERMES_WORKDIR';

/** The folder it is about. Undefined when that is not noted, or not of this repository, which says nothing about any folder. */
export function readWorkdir(gitDir: string): string | undefined {
  try {
    const workdir = readFileSync(join(gitDir, MARKER), 'utf8').replace(/\n$/, '');
    return projectHash(workdir) === basename(gitDir) ? workdir : undefined;
  } catch {
    return undefined;
  }
}
