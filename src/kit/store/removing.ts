import { randomUUID } from 'node:crypto';
import type { ItemOutcome, RunItem } from '../../core/retention/run.ts';
import type { SessionStore } from '../../core/stores/session-store.ts';
import { type FileMover, sessionFingerprint } from '../../core/stores/session-trash.ts';

/** For sessions without files, or whose files do not matter. */
export const NO_FILES: FileMover = { take: () => undefined, bringBack: () => undefined, letGo: () => undefined };

/** Removes sessions for good as a run does, open ones once they are ended: journal, out of sight, rows. Claims do not count. */
export async function removeSessions(store: SessionStore, ids: readonly string[]): Promise<readonly ItemOutcome[]> {
  const run = randomUUID();
  const deadHolders = (await store.holders()).map(({ id }) => id);
  for (const id of ids) if ((await store.get(id)) !== undefined) await store.end(id, 'removed');
  const requests = await Promise.all(ids.map((id, index) => trashRequest(store, id, index + 1)));
  await store.journal.begin({ id: run, request: { kind: 'delete', ids }, startedAt: 0, expiresAt: 0 });
  await store.journal.intend(run, requests.map(runItem));
  const outcomes = await store.trash.hide(run, requests, { files: NO_FILES, deadHolders });
  await store.trash.drop(run, requests);
  await store.journal.mark(
    run,
    outcomes.map(({ number, status }) => ({ number, state: status === 'done' ? 'purged' : 'skipped' })),
  );
  await store.journal.finish(run, 0);
  return outcomes;
}

/** What a plan that was made just now would ask for. */
export async function trashRequest(store: SessionStore, id: string, number = 1) {
  const facts = await store.get(id);
  return { number, id, fingerprint: facts === undefined ? '' : sessionFingerprint(facts) };
}
/** A session that a run is about to remove. */
export function runItem(given: { number: number; id: string; fingerprint?: string }): RunItem {
  const { number, id, fingerprint = '' } = given;
  const fixed = { action: 'remove', reason: 'named', sizeBytes: 10, skipsTrash: false, state: 'intended' } as const;
  return { number, item: { kind: 'session', id }, fingerprint, ...fixed };
}
