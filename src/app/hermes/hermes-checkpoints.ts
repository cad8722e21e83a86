import { join } from 'node:path';
import { findAmong } from '../../checkpoints/find-snapshot.ts';
import type { Changed } from '../../checkpoints/take/measure-changes.ts';
import type { Checkpoint, CheckpointProject } from '../../core/retention/checkpoint.ts';
import { listHermesCheckpoints } from '../../homes/hermes/checkpoints/store/list-hermes-checkpoints.ts';
import { gitPlace } from '../../homes/hermes/checkpoints/store/read-snapshots.ts';
import { type GitPlace, runGit } from '../../platform/git/run-git.ts';
import { countFiles, foreignProjectId, foreignSnapshots, foreignWorkdir } from './foreign-snapshots.ts';
import { type HermesSurroundings, placeOf } from './hermes-inventory.ts';

/** The checkpoints of a Hermes home in every layout, newest first: all, or those of one folder. */
export async function listForeignCheckpoints(home: string, workdir?: string): Promise<readonly Checkpoint[]> {
  const checkpoints: Checkpoint[] = [];
  for (const snapshot of await foreignSnapshots(home)) {
    if (workdir === undefined || snapshot.project.workdir === workdir) {
      checkpoints.push(await countFiles(home, snapshot));
    }
  }
  return checkpoints;
}

/** One of them, and what is new in it against the one before it. */
export async function showForeignCheckpoint(
  home: string,
  id: string,
): Promise<{ checkpoint: Checkpoint; previous?: Checkpoint; changes: Changed }> {
  const snapshots = await foreignSnapshots(home);
  const checkpoints = snapshots.map(({ checkpoint }) => checkpoint);
  const { checkpoint, previous } = findAmong(checkpoints, id);
  const snapshot = snapshots[checkpoints.indexOf(checkpoint)];
  const place = gitPlace(join(home, snapshot?.project.repository ?? ''));
  return {
    checkpoint: snapshot === undefined ? checkpoint : await countFiles(home, snapshot),
    changes: await changesIn(place, checkpoint.id),
    ...(previous !== undefined && { previous }),
  };
}

/** The folders that Hermes takes checkpoints of, the one used last first. */
export async function listForeignProjects(
  home: string,
  known: Pick<HermesSurroundings, 'sightings' | 'now'>,
): Promise<readonly CheckpointProject[]> {
  const { projects } = await listHermesCheckpoints(home);
  const found = projects.map((project) => ({
    id: foreignProjectId(project),
    workdir: foreignWorkdir(project),
    createdAt: project.snapshots.at(-1)?.takenAt ?? 0,
    lastTakenAt: project.snapshots[0]?.takenAt ?? 0,
    place: placeOf(project, known).place,
  }));
  return found.toSorted((a, b) => b.lastTakenAt - a.lastTakenAt);
}

async function changesIn(place: GitPlace, id: string): Promise<Changed> {
  const { stdout } = await runGit(place, ['diff-tree', '-r', '-z', '--root', '--no-commit-id', '--no-renames', id]);
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
