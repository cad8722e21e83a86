import { type MaintenanceMemory, nextDueAt } from '../core/maintenance.ts';
import { HOUR_MS } from '../core/time.ts';
import type { HomeParts } from './home-parts.ts';

const MEMORY_KEY = 'maintenance';

/** What the last pass left. A damaged stamp counts as none: the pass after it announces before it removes anything. */
export async function recallMaintenance({ store }: HomeParts): Promise<MaintenanceMemory> {
  try {
    const memory = JSON.parse((await store.getMeta(MEMORY_KEY)) ?? '{}') as MaintenanceMemory | null;
    return typeof memory === 'object' && memory !== null ? memory : {};
  } catch {
    // Not JSON: somebody or something else wrote it.
    return {};
  }
}

/** When the next unattended pass is due; `undefined` when they are switched off. */
export async function nextMaintenanceAt(parts: HomeParts): Promise<number | undefined> {
  const { config, clock } = parts;
  if (!config.sessions.auto_prune) return undefined;
  const minIntervalMs = config.sessions.min_interval_hours * HOUR_MS;
  return nextDueAt(await recallMaintenance(parts), { now: clock.now(), minIntervalMs });
}

export function rememberMaintenance({ store }: HomeParts, memory: MaintenanceMemory): Promise<void> {
  return store.setMeta(MEMORY_KEY, JSON.stringify(memory));
}
