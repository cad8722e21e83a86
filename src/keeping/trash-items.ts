import type { TrashItem } from '../core/retention/inventory.ts';
import type { SessionStore } from '../core/stores/session-store.ts';

/**
 * What earlier runs removed and is still there, one item a run. What a purge began with and could not end is, too. `rowBytes` says
 * by run what of it are rows of the home's own database.
 */
export async function trashItems(
  { store }: { readonly store: Pick<SessionStore, 'journal'> },
  rowBytes: ReadonlyMap<string, number> = new Map(),
): Promise<TrashItem[]> {
  const items: TrashItem[] = [];
  for await (const run of store.journal.runs()) {
    const { trashed, purging } = await store.journal.totals(run.id);
    if (trashed === undefined && purging === undefined) continue;
    const { id, startedAt: removedAt, expiresAt } = run;
    const itemCount = (trashed?.items ?? 0) + (purging?.items ?? 0);
    const sizeBytes = (trashed?.sizeBytes ?? 0) + (purging?.sizeBytes ?? 0);
    const rows = rowBytes.get(id) ?? 0;
    items.push({
      kind: 'trash',
      id,
      removedAt,
      expiresAt,
      itemCount,
      sizeBytes,
      ...(rows > 0 && { rows }),
      fingerprint: `${itemCount}:${sizeBytes}`,
    });
  }
  return items;
}
