import type { Checkpoint, CheckpointProject } from '../../core/retention/checkpoint.ts';
import { newestFirst, readSnapshots } from '../store/read-snapshots.ts';
import { locateWorkdir } from './locate-workdir.ts';
import type { CheckpointStore } from '../store/open-store.ts';
import { readProject } from '../store/project-book.ts';

/** Every project that has checkpoints, the one used last first. */
export async function listProjects(store: CheckpointStore): Promise<CheckpointProject[]> {
  const { checkpoints } = await readSnapshots(store);
  const firsts = new Map(checkpoints.map((checkpoint) => [checkpoint.projectId, checkpoint]));
  const newest = new Map(checkpoints.toReversed().map((checkpoint) => [checkpoint.projectId, checkpoint]));
  return [...newest.values()]
    .toSorted(newestFirst)
    .map((last) => projectOf(store, firsts.get(last.projectId) ?? last, last));
}

/** Without a record that can be read, the checkpoints say what they can, and nothing is known about the place. */
function projectOf({ layout }: CheckpointStore, first: Checkpoint, last: Checkpoint): CheckpointProject {
  const { projectId: id, workdir, takenAt: lastTakenAt } = last;
  const record = readProject(layout, id);
  if (typeof record === 'string') return { id, workdir, createdAt: first.takenAt, lastTakenAt, place: 'unreachable' };
  return { id, workdir, createdAt: record.createdAt, lastTakenAt, place: locateWorkdir(record) };
}
