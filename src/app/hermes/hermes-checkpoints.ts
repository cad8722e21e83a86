import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Changed } from '../../checkpoints/measure-changes.ts';
import type { Checkpoint, Project } from '../../core/checkpoint.ts';
import type { HermesProject, HermesSnapshot } from '../../homes/hermes/checkpoints/hermes-project.ts';
import { listHermesCheckpoints } from '../../homes/hermes/checkpoints/list-hermes-checkpoints.ts';
import { gitPlace } from '../../homes/hermes/checkpoints/read-snapshots.ts';
import { runGit } from '../../platform/run-git.ts';
import type { CheckpointStatus } from '../checkpoint-status.ts';

/** The checkpoints of a Hermes home in every layout, newest first: all, or those of one folder. */
export async function listForeignCheckpoints(home: string, workdir?: string): Promise<readonly Checkpoint[]> {
  const { projects } = await listHermesCheckpoints(home);
  const checkpoints: Checkpoint[] = [];
  for (const project of projects) {
    if (workdir !== undefined && project.workdir !== workdir) continue;
    for (const snapshot of project.snapshots) checkpoints.push(await toCheckpoint(home, project, snapshot));
  }
  return checkpoints.toSorted((a, b) => b.takenAt - a.takenAt);
}

/** The folders that Hermes takes checkpoints of, the one used last first. */
export async function listForeignProjects(home: string): Promise<readonly Project[]> {
  const { projects } = await listHermesCheckpoints(home);
  const found = projects.map((project) => ({
    id: idOf(project),
    workdir: workdirOf(project),
    createdAt: project.snapshots.at(-1)?.takenAt ?? 0,
    lastTakenAt: project.snapshots[0]?.takenAt ?? 0,
    place: placeOf(project),
  }));
  return found.toSorted((a, b) => b.lastTakenAt - a.lastTakenAt);
}

/** What they take, and what is wrong with them. No rule of Coppice speaks about them. */
export async function foreignCheckpointStatus(home: string): Promise<CheckpointStatus> {
  const { projects, sizeBytes, problems } = await listHermesCheckpoints(home);
  const own = projects.reduce((sum, project) => sum + (project.sizeBytes ?? 0), 0);
  return {
    projects: projects.map((project) => ({
      id: idOf(project),
      workdir: workdirOf(project),
      place: placeOf(project),
      checkpoints: project.snapshots.length,
      pinned: 0,
      lastTakenAt: project.snapshots[0]?.takenAt ?? 0,
      ownBytes: project.sizeBytes ?? 0,
    })),
    checkpoints: projects.reduce((sum, { snapshots }) => sum + snapshots.length, 0),
    sizeBytes,
    sharedBytes: sizeBytes - own,
    limits: {},
    reclaimable: NOTHING,
    trash: NOTHING,
    legacy: NOTHING,
    problems,
    shortfalls: [],
  };
}

const NOTHING = { items: 0, sizeBytes: 0 };

/** What is new in a checkpoint against the one before it. */
export async function foreignChanges(home: string, checkpoint: Checkpoint): Promise<Changed> {
  const { projects } = await listHermesCheckpoints(home);
  const project = projects.find((each) => idOf(each) === checkpoint.projectId);
  const place = gitPlace(join(home, project?.repository ?? ''));
  const { stdout } = await runGit(place, [
    'diff-tree',
    '-r',
    '-z',
    '--root',
    '--no-commit-id',
    '--no-renames',
    checkpoint.id,
  ]);
  const entries = stdout
    .toString('latin1')
    .split('\0')
    .filter((field) => /^:\d{6} \d{6} /.test(field));
  const kinds = entries.map((entry) => entry.slice(-1));
  const contents = entries.map((entry) => entry.split(' ')[3] ?? '').filter((oid) => !/^0+$/.test(oid));
  const input = contents.map((oid) => `${oid}\n`).join('');
  const sizes = await runGit(place, ['cat-file', '--batch-check=%(objectsize)'], { input });
  const count = (kind: string) => kinds.filter((each) => each === kind).length;
  return {
    added: count('A'),
    removed: count('D'),
    changed: entries.length - count('A') - count('D'),
    sizeBytes: sizes.stdout
      .toString()
      .split('\n')
      .reduce((sum, size) => sum + Number(size), 0),
  };
}

async function toCheckpoint(home: string, project: HermesProject, snapshot: HermesSnapshot): Promise<Checkpoint> {
  const place = gitPlace(join(home, project.repository));
  const [tree, files] = await Promise.all([
    runGit(place, ['rev-parse', '--verify', `${snapshot.hash}^{tree}`]),
    runGit(place, ['ls-tree', '-r', '-z', '--name-only', snapshot.hash]),
  ]);
  return {
    id: snapshot.hash,
    projectId: idOf(project),
    workdir: workdirOf(project),
    takenAt: snapshot.takenAt,
    reason: snapshot.reason,
    kind: 'taken',
    fileCount: files.stdout.filter((byte) => byte === 0).length,
    leftOutCount: 0,
    tree: tree.stdout.toString().trim(),
    pinned: false,
  };
}

/** One folder may have checkpoints in several layouts. */
function idOf({ layout, repository, hash }: HermesProject): string {
  return layout === 'v2' ? hash : repository.slice(repository.indexOf('/') + 1);
}

function workdirOf({ workdir, repository, hash }: HermesProject): string {
  return workdir ?? `unknown (${basename(repository)}/${hash})`;
}

/** That a folder is missing does not say that it is gone: it may be on a volume that is not there now. */
function placeOf({ workdir }: HermesProject): Project['place'] {
  return workdir !== undefined && existsSync(workdir) ? 'present' : 'unreachable';
}
