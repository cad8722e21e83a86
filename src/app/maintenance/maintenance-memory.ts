import { type MaintenanceMemory, nextDueAt } from '../../core/retention/maintenance.ts';
import { type EpochMs, HOUR_MS } from '../../core/time.ts';
import type { Config } from '../config/config-schema.ts';
import type { HomeParts } from '../home-parts.ts';

const MEMORY_KEY = 'maintenance';

/** What the last pass left. A damaged stamp counts as none: the pass after it announces before it removes anything. */
export async function recallMaintenance(parts: HomeParts): Promise<MaintenanceMemory> {
  const memory = parseMemory(await parts.store.getMeta(MEMORY_KEY));
  const theirs = await foreignPassAt(parts);
  const { lastAt } = memory;
  if (lastAt === undefined || theirs === undefined) return memory;
  // An agent that cuts its own home back every day must not keep the other rules away for ever.
  return { ...memory, lastAt: Math.min(Math.max(lastAt, theirs), lastAt + intervalMs(parts.config)) };
}

/** When the next unattended pass is due; `undefined` when they are switched off. */
export async function nextMaintenanceAt(parts: HomeParts): Promise<number | undefined> {
  const { config, clock } = parts;
  if (!config.sessions.auto_prune) return undefined;
  return nextDueAt(await recallMaintenance(parts), { now: clock.now(), minIntervalMs: intervalMs(parts.config) });
}

export function rememberMaintenance({ store }: HomeParts, memory: MaintenanceMemory): Promise<void> {
  return store.setMeta(MEMORY_KEY, JSON.stringify(memory));
}

/** Notes that a person holds what passes would remove, or no longer does. Says since when. */
export async function holdMaintenance(parts: HomeParts, held: boolean): Promise<{ readonly heldSince?: EpochMs }> {
  const { heldSince: before, ...memory } = await recallMaintenance(parts);
  const holding = held ? { heldSince: before ?? parts.clock.now() } : {};
  await rememberMaintenance(parts, { ...memory, notices: [], ...holding });
  return holding;
}

function parseMemory(text = '{}'): MaintenanceMemory {
  try {
    const memory = JSON.parse(text) as MaintenanceMemory | null;
    return typeof memory === 'object' && memory !== null ? memory : {};
  } catch {
    // Not JSON: somebody or something else wrote it.
    return {};
  }
}

/** The agent's own passes count as well. A home that is only shown gets none, and its database may be damaged. */
async function foreignPassAt({ foreign, clock }: HomeParts): Promise<EpochMs | undefined> {
  return foreign === undefined || foreign.reasons.length > 0 ? undefined : foreign.lastPassAt(clock.now());
}

/** How far unattended passes are apart. */
export function intervalMs({ sessions }: Config): number {
  return sessions.min_interval_hours * HOUR_MS;
}
