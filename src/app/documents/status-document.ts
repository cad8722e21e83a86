import { isoTime } from '../../core/time.ts';
import type { CheckpointStatus } from '../checkpoint-status.ts';
import type { BackgroundReport } from '../home.ts';
import type { HomeStatus } from '../home-status.ts';
import { runDocument } from './run-document.ts';

/** How a home stands, as programs see it. */
export function statusDocument({ trashUntil, lastRun, nextMaintenanceAt, ...rest }: HomeStatus) {
  return {
    ...rest,
    ...(trashUntil !== undefined && {
      trashUntil: { first: isoTime(trashUntil.first), last: isoTime(trashUntil.last) },
    }),
    ...(lastRun !== undefined && { lastRun: runDocument(lastRun) }),
    ...(nextMaintenanceAt !== undefined && { nextMaintenanceAt: isoTime(nextMaintenanceAt) }),
  };
}

/** How the store of checkpoints stands. */
export function checkpointStatusDocument({ projects, ...rest }: CheckpointStatus) {
  return { projects: projects.map((one) => ({ ...one, lastTakenAt: isoTime(one.lastTakenAt) })), ...rest };
}

/** What one unattended pass did. */
export function maintenanceDocument(report: BackgroundReport) {
  if (report.status === 'not-due') return { ...report, nextAt: isoTime(report.nextAt) };
  return 'at' in report ? { ...report, at: isoTime(report.at) } : report;
}
