import type { Inventory } from '../../core/retention/inventory.ts';
import { DAY_MS } from '../../core/time.ts';
import type { HomeParts } from '../home-parts.ts';
import { threatenedSessions } from './threatened-sessions.ts';

const SOON_MS = 7 * DAY_MS;

/** A word about what an agent will soon delete although our rules keep it. */
export async function threatNotes(
  { foreign, config }: Pick<HomeParts, 'foreign' | 'config'>,
  inventory: Inventory,
): Promise<string[]> {
  const own = await foreign?.retention?.();
  if (foreign === undefined || own === undefined) return [];
  const { length } = threatenedSessions(inventory, own, { until: inventory.scannedAt + SOON_MS, config });
  if (length === 0) return [];
  const what = length === 1 ? '1 session' : `${length} sessions`;
  const then = config.homes.rescue
    ? 'An unattended pass archives them before.'
    : 'With homes.rescue: true an unattended pass archives them before.';
  return [
    `${foreign.agent} deletes ${what} within 7 days by itself that your rules keep (${own.setting}). ${then} See which with: coppice expiring`,
  ];
}
