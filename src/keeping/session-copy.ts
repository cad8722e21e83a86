import type { SessionReader } from '../core/stores/session-reader.ts';
import type { SessionRecords } from '../core/stores/session-records.ts';
import { type FileMover, sessionFingerprint } from '../core/stores/session-trash.ts';

export interface CopyRef {
  readonly runId: string;
  readonly number: number;
  readonly id: string;
}

/** Copies in Coppice's records have no files of their own. */
export const NO_FILES: FileMover = { take: () => undefined, bringBack: () => undefined, letGo: () => undefined };

/** Removes what Coppice's own records have of a session of another home, archived or not, as if it had never been there. */
export async function dropCopy(
  store: Pick<SessionReader, 'get'> & SessionRecords,
  { runId, number, id }: CopyRef,
): Promise<void> {
  const copy = await store.get(id);
  const archived = await store.archive.find(runId, number);
  if (archived !== undefined) {
    await store.archive.hide(runId, [{ number, id, fingerprint: archived.member.sha256 }]);
  } else if (copy !== undefined && copy.archivedAt === undefined) {
    const request = { number, id, fingerprint: sessionFingerprint(copy) };
    await store.trash.hide(runId, [request], { files: NO_FILES, deadHolders: [] });
  }
  await store.trash.drop(runId, [{ number, id, fingerprint: '' }]);
  await store.ledgerBook.erase(runId, [id]);
}
