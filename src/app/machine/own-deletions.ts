import { type Inventory, itemBytes } from '../../core/retention/inventory.ts';
import { DAY_MS, type EpochMs } from '../../core/time.ts';
import type { AgentSetting } from '../../homes/home-kind.ts';
import type { HomeParts } from '../home-parts.ts';

/** What the agent of a home is set to delete by itself. */
export interface OwnDeletions extends AgentSetting {
  /** Sessions that it would delete within the next seven days. */
  readonly soon: { readonly sessions: number; readonly sizeBytes: number };
  /** When the first of all sessions would be deleted. Absent where there is none. */
  readonly firstAt?: EpochMs;
}

const SOON_MS = 7 * DAY_MS;

/** Undefined where the agent deletes nothing by itself, or where nobody knows whether it does. */
export async function ownDeletions(
  { foreign }: Pick<HomeParts, 'foreign'>,
  { sessions, scannedAt }: Pick<Inventory, 'sessions' | 'scannedAt'>,
): Promise<OwnDeletions | undefined> {
  const retention = await foreign?.retention?.();
  if (retention === undefined) return undefined;
  const { deletesAt, ...setting } = retention;
  const soon = { sessions: 0, sizeBytes: 0 };
  let firstAt: EpochMs | undefined;
  for (const session of sessions) {
    const at = deletesAt.get(session.id);
    if (at === undefined) continue;
    firstAt = Math.min(at, firstAt ?? at);
    if (at > scannedAt + SOON_MS) continue;
    soon.sessions += 1;
    soon.sizeBytes += itemBytes(session);
  }
  return { ...setting, soon, ...(firstAt !== undefined && { firstAt }) };
}
