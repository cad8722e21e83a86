import { Failure } from '../../core/failure.ts';
import { noSuchSession } from '../../core/sessions/check-session.ts';
import type { SessionReader } from '../../core/stores/session-reader.ts';
import type { SessionRecords } from '../../core/stores/session-records.ts';

/** The ids by the run that archived them. Refuses all of them when one is not in the archive. */
export async function archivedByRun(
  store: Pick<SessionReader, 'get'> & Pick<SessionRecords, 'archive'>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string[]>> {
  const byRun = new Map<string, string[]>();
  for (const id of new Set(ids)) {
    const archived = await store.archive.get(id);
    if (archived === undefined) throw await notArchived(store, id);
    byRun.set(archived.runId, [...(byRun.get(archived.runId) ?? []), id]);
  }
  return byRun;
}

async function notArchived(store: Pick<SessionReader, 'get'>, id: string): Promise<Failure> {
  if ((await store.get(id)) === undefined) return noSuchSession(id);
  return new Failure('refused', `Session ${id} is not archived.`, {
    hint: 'Nothing was restored. See what is archived with: coppice sessions list --archived',
  });
}
