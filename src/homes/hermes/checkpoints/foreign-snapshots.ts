import { basename, join } from 'node:path';
import type { Checkpoint } from '../../../core/retention/checkpoint.ts';
import { runGit } from '../../../platform/git/run-git.ts';
import type { HermesProject, HermesSnapshot } from './store/hermes-project.ts';
import { listHermesCheckpoints } from './store/list-hermes-checkpoints.ts';
import { gitPlace } from './store/read-snapshots.ts';

/** A checkpoint of a Hermes home as people see it, with the project it belongs to. Its files are not counted. */
export interface ForeignSnapshot {
  readonly checkpoint: Checkpoint;
  readonly project: HermesProject;
}

/** Those of every layout, newest first. */
export async function foreignSnapshots(home: string): Promise<readonly ForeignSnapshot[]> {
  const { projects } = await listHermesCheckpoints(home);
  const found = projects.flatMap((project) =>
    project.snapshots.map((snapshot) => ({ checkpoint: toCheckpoint(project, snapshot), project })),
  );
  return found.toSorted((a, b) => b.checkpoint.takenAt - a.checkpoint.takenAt);
}

/** The same checkpoint with the number of its files, which takes a look into it. */
export async function countFiles(home: string, { checkpoint, project }: ForeignSnapshot): Promise<Checkpoint> {
  const place = gitPlace(join(home, project.repository));
  const { stdout } = await runGit(place, ['ls-tree', '-r', '-z', '--name-only', checkpoint.tree]);
  return { ...checkpoint, fileCount: stdout.filter((byte) => byte === 0).length };
}

/** One folder may have checkpoints in several layouts. */
export function foreignProjectId({
  layout,
  repository,
  hash,
}: Pick<HermesProject, 'layout' | 'repository' | 'hash'>): string {
  return layout === 'v2' ? hash : repository;
}

export function foreignWorkdir({ workdir, repository, hash }: HermesProject): string {
  return workdir ?? `unknown (${basename(repository)}/${hash})`;
}

function toCheckpoint(project: HermesProject, { hash, tree, takenAt, reason }: HermesSnapshot): Checkpoint {
  return {
    id: hash,
    projectId: foreignProjectId(project),
    workdir: foreignWorkdir(project),
    takenAt,
    reason,
    kind: 'taken',
    fileCount: 0,
    leftOutCount: 0,
    tree,
    pinned: false,
  };
}
