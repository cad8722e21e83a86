import { done, skip } from '../../core/retention/item-outcome.ts';
import type { ItemOutcome, RunItem } from '../../core/retention/run.ts';
import { dropDeadBundles } from './drop-dead-bundles.ts';
import { dropCopy } from '../session-copy.ts';
import { obstacleTo } from '../../platform/error-sentence.ts';
import { shelfOf } from './shelf/shelf-of.ts';
import { type ArchiveTakenParts, asRemoval } from './archive-taken.ts';

/**
 * Brings archived sessions back into the home of their agent: from their bundles into the trash of the run that archived them, from
 * there as an undo brings sessions back, and only then the archive lets go of them.
 */
export async function restoreTaken(
  parts: ArchiveTakenParts,
  runId: string,
  items: readonly RunItem[],
): Promise<readonly ItemOutcome[]> {
  const { driver, store } = parts;
  const outcomes: ItemOutcome[] = [];
  const waiting: RunItem[] = [];
  const back: RunItem[] = [];
  for (const item of items) {
    const stage = await prepare(parts, runId, item);
    if (stage === 'waiting') waiting.push(item);
    else if (stage === 'back') back.push(item);
    else outcomes.push(skip(item, stage.stays));
  }
  const returned = waiting.length === 0 ? [] : await driver.restore(runId, waiting.map(asRemoval));
  const statuses = new Map(returned.map(({ number, status }) => [number, status]));
  const isBack = ({ number }: RunItem) => statuses.get(number) === 'done';
  // Those of which a part is in the home keep their place in the trash: with it the next attempt goes on.
  const left = waiting.filter(({ number }) => statuses.get(number) === 'skipped');
  // The archive has these still, so the driver goes on remembering their children.
  if (left.length > 0) await driver.purge(runId, left);
  outcomes.push(...returned.filter(({ status }) => status !== 'done'));
  const bundles = await store.archive.bundles();
  for (const item of [...back, ...waiting.filter(isBack)]) {
    await dropCopy(store, { runId, number: item.number, id: item.item.id });
    outcomes.push(done(item));
  }
  await dropDeadBundles(
    parts,
    bundles.map(({ name }) => name),
  );
  return outcomes;
}

/** In the trash and on its way, back in the home already, or why it stays where it is. */
type Stage = 'waiting' | 'back' | { readonly stays: string };

async function prepare(parts: ArchiveTakenParts, runId: string, item: RunItem): Promise<Stage> {
  const { store, from, taken } = parts;
  const { number } = item;
  const found = await store.archive.find(runId, number);
  const now = await from.get(item.item.id);
  const inHome = now !== undefined && now.archivedAt === undefined;
  if (found === undefined) return inHome ? 'back' : { stays: 'It is gone for good.' };
  if (await taken.has(runId, number)) return 'waiting';
  // It came back before a crash, and only the archive has not let go of it, or not in full.
  if (inHome && now.startedAt === found.session.startedAt) return 'back';
  if (found.trashed) return { stays: 'Its archive is in the trash.' };
  const stays = await obstacleTo(async () => {
    await using file = await shelfOf(parts).open(found.member);
    await taken.unpack(runId, number, file);
  });
  return stays === undefined ? 'waiting' : { stays };
}
