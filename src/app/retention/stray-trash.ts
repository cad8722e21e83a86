import { changeRefs } from '../../checkpoints/store/change-refs.ts';
import type { CheckpointStore } from '../../checkpoints/store/open-store.ts';
import { SNAPSHOTS, snapshotRef, TRASH } from '../../checkpoints/store/store-layout.ts';
import { idsBelow, readRefs } from '../../checkpoints/store/store-refs.ts';
import { readSnapshotText } from '../../checkpoints/store/snapshot-text.ts';
import type { Problem } from '../../core/problem.ts';
import type { Journal } from '../../core/retention/run.ts';
import { runGit } from '../../platform/git/run-git.ts';

/** A ref in the trash of the checkpoint store that no run would ever give back or remove. */
export interface StrayTrash {
  readonly name: string;
  readonly id: string;
}

/** Looks at the refs first: a run writes down what it takes before it takes it, so none of its own can look stray. */
export async function findStrayTrash(store: CheckpointStore, journal: Journal): Promise<readonly StrayTrash[]> {
  const refs = await readRefs(store.layout, TRASH);
  const known = new Set<string>();
  for (const runId of new Set([...refs.keys()].map(runOf))) {
    for await (const { number } of journal.items(runId, ['intended', 'trashed', 'undoing', 'purging'])) {
      known.add(`${TRASH}/${runId}/${number}`);
    }
  }
  return [...refs].filter(([name]) => !known.has(name)).map(([name, id]) => ({ name, id }));
}

export function strayProblem({ name }: StrayTrash): Problem {
  return {
    kind: 'trash-stray',
    subject: name,
    message: 'A checkpoint is in the trash of the checkpoint store, and no run knows of it.',
    hint: 'List it again with: coppice doctor --repair',
  };
}

/** Puts each back where it is listed, if it is not, and takes it out of the trash. Nothing is removed. Returns what was left. */
export async function listStrayTrash(store: CheckpointStore, journal: Journal): Promise<readonly StrayTrash[]> {
  const listed = idsBelow(await readRefs(store.layout, SNAPSHOTS), SNAPSHOTS);
  const left: StrayTrash[] = [];
  for (const stray of await findStrayTrash(store, journal)) {
    const { name, id } = stray;
    const project = listed.has(id) ? undefined : await projectOf(store, id);
    if (!listed.has(id) && project === undefined) left.push(stray);
    else
      await changeRefs(store, [
        ...(project === undefined ? [] : [`create ${snapshotRef(project, id)} ${id}`]),
        `delete ${name} ${id}`,
      ]);
  }
  return left;
}

/** What its commit says; `undefined` for what is no checkpoint of this store. */
async function projectOf({ layout }: CheckpointStore, id: string): Promise<string | undefined> {
  const { stdout } = await runGit(layout, ['log', '-1', '--format=%B', id], { okCodes: [0, 128] });
  const projectId = readSnapshotText(stdout.toString())?.projectId;
  return projectId !== undefined && /^[0-9a-f]{16}$/.test(projectId) ? projectId : undefined;
}

function runOf(name: string): string {
  return name
    .slice(TRASH.length + 1)
    .split('/', 1)
    .join();
}
