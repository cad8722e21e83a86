import type { Waiting } from '../../core/retention/maintenance.ts';
import { type EpochMs, isoTime } from '../../core/time.ts';
import type { CheckpointStatus } from '../checkpoints/checkpoint-status.ts';
import type { BackgroundReport } from '../maintenance/background-report.ts';
import type { HomeStatus } from '../home-status.ts';
import { runDocument } from './run-document.ts';

/** How a home stands, as programs see it. */
export function statusDocument({ trashUntil, lastRun, nextMaintenanceAt, waiting, heldSince, ...rest }: HomeStatus) {
  return {
    ...rest,
    ...(trashUntil !== undefined && {
      trashUntil: { first: isoTime(trashUntil.first), last: isoTime(trashUntil.last) },
    }),
    ...(lastRun !== undefined && { lastRun: runDocument(lastRun) }),
    ...(nextMaintenanceAt !== undefined && { nextMaintenanceAt: isoTime(nextMaintenanceAt) }),
    ...(waiting !== undefined && { waiting: waitingDocument(waiting) }),
    ...heldDocument({ heldSince }),
  };
}

/** How the store of checkpoints stands. */
export function checkpointStatusDocument({ projects, garbageUntil, ...rest }: CheckpointStatus) {
  return {
    projects: projects.map((one) => ({ ...one, lastTakenAt: isoTime(one.lastTakenAt) })),
    ...rest,
    ...(garbageUntil !== undefined && { garbageUntil: isoTime(garbageUntil) }),
  };
}

/** What one unattended pass did. */
export function maintenanceDocument(report: BackgroundReport) {
  if (report.status === 'not-due') return { ...report, nextAt: isoTime(report.nextAt) };
  if (report.status !== 'done') return report;
  const { at, waiting, ...rest } = report;
  return { ...rest, at: isoTime(at), ...(waiting !== undefined && { waiting: waitingDocument(waiting) }) };
}

/** Since when a person holds what unattended runs would remove. */
export function heldDocument({ heldSince }: { readonly heldSince?: EpochMs | undefined }) {
  return heldSince === undefined ? {} : { heldSince: isoTime(heldSince) };
}

function waitingDocument({ until, reasons, ...rest }: Waiting) {
  return {
    ...rest,
    reasons: reasons.map((reason) => (reason.kind === 'held' ? { ...reason, since: isoTime(reason.since) } : reason)),
    ...(until !== undefined && { until: isoTime(until) }),
  };
}
