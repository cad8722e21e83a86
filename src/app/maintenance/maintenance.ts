import type { HomeLock } from '../../core/home-lock.ts';
import type { HomeDriver } from '../../core/retention/home-driver.ts';
import type { MaintenanceReport } from '../../core/retention/maintenance.ts';
import { DAY_MS } from '../../core/time.ts';
import { maintain } from './maintain.ts';
import { recordClock } from '../../keeping/liveness/clock-watch.ts';
import { uuidV7 } from '../../platform/machine/uuid-v7.ts';
import { type BoundsEngine, keepCheckpointsBounded } from '../checkpoints/checkpoint-bounds.ts';
import type { HomeParts } from '../home-parts.ts';
import { unattendedPolicy } from '../retention/policy-from-config.ts';
import { trimPlans } from '../retention/saved-plans.ts';
import { closeAbandoned } from './close-abandoned.ts';
import { intervalMs, recallMaintenance, rememberMaintenance } from './maintenance-memory.ts';

export interface MaintenanceOptions {
  readonly signal?: AbortSignal;
  /** Also when the last pass was a moment ago. */
  readonly now?: boolean;
  /** A person looked: everything that waits goes in this pass, and what was held is held no longer. */
  readonly allow?: boolean;
}

export interface MaintenanceTools {
  readonly driver: HomeDriver;
  readonly lock: HomeLock;
  /** For checkpoints, which have a pass of their own. */
  readonly engine: BoundsEngine;
}

/** One unattended pass over a home, if one is due, and one over its checkpoints. */
export async function maintainHome(
  parts: HomeParts,
  options: MaintenanceOptions & MaintenanceTools,
): Promise<MaintenanceReport> {
  const report = await maintainSessions(parts, options);
  if (report.status === 'busy') return report;
  return { ...report, checkpoints: await keepCheckpointsBounded(parts, options.engine, { now: options.now ?? false }) };
}

async function maintainSessions(
  parts: HomeParts,
  { driver, lock, signal, now = false, allow = false }: MaintenanceOptions & MaintenanceTools,
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
      closeAbandoned: () => closeAbandoned(parts),
      newRunId: () => uuidV7(clock.now()),
    },
    {
      policy: unattendedPolicy(config),
      trashGraceMs: config.trash.grace_days * DAY_MS,
      intervalMs: intervalMs(config),
      now: now || allow,
      allow,
      ...(signal && { signal }),
    },
  );
  if (report.status !== 'done') return report;
  // Plans are forgotten by their age.
  if ((await recordClock(store, clock)) === 'trusted') trimPlans(parts.layout.root, clock.now());
  // Its agent need not stay away because of a pass that only announced.
  const onlyAnnounced = report.waiting?.reasons.some(({ kind }) => kind === 'first-run') === true;
  if (!onlyAnnounced) await parts.foreign?.notePass(clock.now());
  return report;
}
