import { join } from 'node:path';
import { readableStore } from '../../../checkpoints/store/readable-store.ts';
import {
  contentProblems,
  type StoreVerdict,
  type VerifyOptions,
  verifyStore,
} from '../../../checkpoints/reclaim/verify-store.ts';
import type { Problem } from '../../../core/problem.ts';
import type { HermesCheckpointParts } from './hermes-checkpoint-parts.ts';
import { scanHermesCheckpoints } from './hermes-inventory.ts';
import { listHermesCheckpoints } from './store/list-hermes-checkpoints.ts';
import { gitPlace } from './store/read-snapshots.ts';

/**
 * Whether the checkpoints of a Hermes home are complete and exactly what Hermes saved, in every layout, and what was taken out of them
 * and can still come back. Hermes may write meanwhile, so what is found once is looked for again. Changes nothing.
 */
export async function verifyForeign(
  parts: HermesCheckpointParts,
  home: string,
  options: VerifyOptions,
): Promise<StoreVerdict> {
  const { projects } = await listHermesCheckpoints(home);
  const repositories = new Set(projects.map(({ repository }) => repository));
  const problems: Problem[] = await findTwice(async () => {
    const { problems: found } = await scanHermesCheckpoints(home);
    return found.filter(({ kind }) => DAMAGE.has(kind));
  });
  for (const repository of repositories)
    problems.push(...(await findTwice(() => contentProblems(gitPlace(join(home, repository)), repository, options))));
  const store = readableStore(parts.storeOptions);
  const ours = store === undefined ? NOTHING : await verifyStore(store, options);
  const count = projects.reduce((sum, { snapshots }) => sum + snapshots.length, 0);
  return { checkpoints: count + ours.checkpoints, problems: [...problems, ...ours.problems.map(besideHome)] };
}

/** What else a look at checkpoints says is worth knowing and no damage. */
const DAMAGE: ReadonlySet<string> = new Set(['checkpoint-incomplete', 'checkpoint-unreadable']);
const NOTHING: StoreVerdict = { checkpoints: 0, problems: [] };

/** What is being written looks like damage for a moment. */
async function findTwice(look: () => Promise<readonly Problem[]>): Promise<Problem[]> {
  const first = await look();
  if (first.length === 0) return [];
  const again = new Set((await look()).map(({ message }) => message));
  return first.filter(({ message }) => again.has(message));
}

function besideHome(problem: Problem): Problem {
  return { ...problem, message: `In what Coppice keeps beside them: ${problem.message}` };
}
