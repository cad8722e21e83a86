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
  const workdir = readMarker(join(home, repository, MARKER));
  const fits = workdir !== undefined && projectHash(workdir) === hash;
  const problems = fits ? [] : [badMetadata(`${repository}/${MARKER}`, 'is missing or does not fit its repository')];
  let snapshots: readonly HermesSnapshot[] = [];
  try {
    snapshots = await readSnapshots(join(home, repository), '--all');
  } catch (error) {
    problems.push(badRepository(repository, error));
  }
  return { projects: [{ layout, hash, repository, ...(fits && { workdir }), snapshots, sizeBytes }], problems };
}

const MARKER = 'HERMES_WORKDIR';

/** Undefined when it is not there or cannot be read, which says nothing about the folder it would name. */
function readMarker(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').replace(/\n$/, '');
  } catch {
    return undefined;
  }
}
