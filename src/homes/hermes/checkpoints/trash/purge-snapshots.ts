import { done, skip } from '../../../../core/retention/item-outcome.ts';
import type { ItemOutcome, RunItem } from '../../../../core/retention/run.ts';
import { GitError } from '../../../../platform/git/run-git.ts';
import type { ProjectAddress } from '../store/project-address.ts';
import { readChain } from '../store/read-chain.ts';
import type { DiscardDesk } from './discard-snapshots.ts';

/**
 * Lets go of snapshots for good. A repository that left as a whole holds others of the same run too, which may still come back:
 * it goes with the newest in it, which is always the last to go.
 */
export async function purgeSnapshots(
  { runId, trash, whole }: Omit<DiscardDesk, 'place'>,
  address: ProjectAddress,
  items: readonly RunItem[],
): Promise<readonly ItemOutcome[]> {
  await trash.drop(
    runId,
    items.map(({ number }) => number),
  );
  if (whole.has(runId, address)) {
    const newest = await newestIn(whole.placeOf(runId, address.repository));
    if (newest === undefined) return items.map((item) => skip(item, 'What is left of it in the trash cannot be read.'));
    if (items.some(({ item }) => item.id === newest)) await whole.purge(runId, address.repository);
  }
  if ((await trash.held(runId)).size === 0 && address.ref !== undefined) await whole.purge(runId, address.repository);
  return items.map(done);
}

async function newestIn(gitDir: string): Promise<string | undefined> {
  try {
    return (await readChain(gitDir, undefined))?.ids[0];
  } catch (error) {
    if (error instanceof GitError) return undefined;
    throw error;
  }
}
