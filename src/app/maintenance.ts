import type { HomeDriver } from '../core/home-driver.ts';
import type { HomeLock } from '../core/home-lock.ts';
import type { MaintenanceReport } from '../core/maintenance.ts';
import type { Policy } from '../core/policy.ts';
import { DAY_MS, HOUR_MS } from '../core/time.ts';
import { maintain } from '../engine/maintain.ts';
import { recordClock } from '../homes/native/clock-watch.ts';
import { uuidV7 } from '../platform/uuid-v7.ts';
import { sessionsConfigFor } from './config/config-for-source.ts';
import type { Config } from './config/config-schema.ts';
import type { HomeParts } from './home-parts.ts';
import { recallMaintenance, rememberMaintenance } from './maintenance-memory.ts';
import { policyFromConfig } from './policy-from-config.ts';
import { activeQuery } from './sessions/active-sessions.ts';

export interface MaintenanceOptions {
  readonly signal?: AbortSignal;
  /** Also when the last pass was a moment ago. */
  readonly now?: boolean;
}

/** One unattended pass over a home, if one is due. */
export async function maintainHome(
  parts: HomeParts,
  { driver, lock, signal, now = false }: MaintenanceOptions & { driver: HomeDriver; lock: HomeLock },
): Promise<MaintenanceReport> {
  const { store, clock, config } = parts;
  const report = await maintain(
    {
      driver,
      lock,
      journal: store.journal,
      clock,
      recall: () => recallMaintenance(parts),
      remember: (memory) => rememberMaintenance(parts, memory),
      // Another agent closes its own sessions.
      closeAbandoned: async () => (parts.foreign === undefined ? closeAbandoned(parts) : 0),
      newRunId: () => uuidV7(clock.now()),
    },
    {
      policy: unattendedPolicy(config),
      trashGraceMs: config.trash.grace_days * DAY_MS,
      minIntervalMs: now ? 0 : config.sessions.min_interval_hours * HOUR_MS,
      ...(signal && { signal }),
    },
  );
  if (report.status === 'done' || report.status === 'announced') await recordClock(store, clock.now());
  if (report.status === 'done') await parts.foreign?.notePass(clock.now());
  return report;
}

/** Checkpoints have a switch of their own. */
function unattendedPolicy(config: Config): Policy {
  const policy = policyFromConfig(config);
  return config.checkpoints.auto_prune ? policy : { ...policy, checkpoints: {} };
}

/** Sessions that nobody closed and nobody uses: ended as `abandoned`, from when they age. */
async function closeAbandoned(parts: HomeParts): Promise<number> {
  const { store, clock, config } = parts;
  const now = clock.now();
  const active = new Set<string>();
  for await (const { id } of store.list({ active: await activeQuery(parts) })) active.add(id);
  let closed = 0;
  for await (const { id, source, endedAt, lastActiveAt } of store.list({ sort: 'stored' })) {
    if (endedAt !== undefined || active.has(id)) continue;
    if (now - lastActiveAt < sessionsConfigFor(config, source).abandon_after_hours * HOUR_MS) continue;
    await store.end(id, 'abandoned');
    closed += 1;
  }
  return closed;
}
