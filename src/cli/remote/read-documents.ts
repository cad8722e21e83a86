import type { CheckpointStatus } from '../../app/checkpoints/checkpoint-status.ts';
import type { BudgetStanding } from '../../app/gateway/budgets.ts';
import type { KnownJob } from '../../app/gateway/cron-jobs.ts';
import type { BackgroundReport } from '../../app/maintenance/background-report.ts';
import type { HomeStatus } from '../../app/home-status.ts';
import type { Answer, Step } from '../../client/api.ts';
import type { MessageDocument, SessionDocument } from '../../client/documents.ts';
import type { AuditRecord } from '../../core/audit.ts';
import type { CronOutcome, CronRun } from '../../core/gateway/cron-book.ts';
import type { Spend } from '../../core/gateway/gateway.ts';
import { spentCounterOf, unitSize } from '../../core/gateway/limits.ts';
import type { Route } from '../../core/gateway/route-book.ts';
import type { Correction } from '../../core/gateway/spend-book.ts';
import type { Checkpoint } from '../../core/retention/checkpoint.ts';
import type { Waiting } from '../../core/retention/maintenance.ts';
import type { Outcome, Run, RunItem } from '../../core/retention/run.ts';
import type { Message } from '../../core/sessions/message.ts';
import type { SessionFacts } from '../../core/sessions/session.ts';
import type { SearchHit } from '../../core/stores/session-reader.ts';

type RunDocument = NonNullable<Answer<'GET /api/status'>['lastRun']>;
type OutcomeDocument = Step<'POST /api/plans/{id}/apply'>;
type CheckpointDocument = Answer<'PATCH /api/checkpoints/{id}'>;

// Documents of the API as the values they were made from: times as numbers, and nothing that is derived.

export function readSession(document: SessionDocument): SessionFacts {
  const { sizeBytes: _, ...session } = document;
  const { startedAt, lastActiveAt, endedAt, archivedAt } = session;
  return {
    ...(session as Omit<typeof session, 'endedAt' | 'archivedAt'>),
    startedAt: Date.parse(startedAt),
    lastActiveAt: Date.parse(lastActiveAt),
    ...(endedAt !== undefined && { endedAt: Date.parse(endedAt) }),
    ...(archivedAt !== undefined && { archivedAt: Date.parse(archivedAt) }),
  };
}

export function readMessage({ at, ...rest }: MessageDocument): Message {
  return { ...rest, at: Date.parse(at) };
}

export function readHit({
  match,
  excerpt,
  message,
  ...session
}: Answer<'GET /api/search'>['sessions'][number]): SearchHit {
  return {
    session: readSession(session),
    match,
    excerpt,
    ...(message !== undefined && { message: { ...message, at: Date.parse(message.at) } }),
  };
}

export function readRoute({ key, movedAt, session }: Answer<'GET /api/routes'>['routes'][number]): Route {
  return { key, movedAt: Date.parse(movedAt), ...(session !== undefined && { session: readSession(session) }) };
}

export function readSpend(scope: Spend['scope'], document: Answer<'GET /api/usage'>['spending'][number]): Spend {
  const { key = '', day: period = '', costUsd, unpriced, ...used } = document;
  const spend = { scope, key, period, used: { ...used, nanoUsd: Math.round(costUsd * 1e9) } };
  return unpriced === undefined ? spend : { ...spend, unpriced };
}

export function readBudget(document: Answer<'GET /api/budget'>['budgets'][number]): BudgetStanding {
  const { scope, key = '', of, until, ...amounts } = document;
  const counter = spentCounterOf(of);
  const whole = (amount: number) => Math.round(amount * unitSize(counter));
  const standing = {
    scope,
    key,
    counter,
    limit: whole(amounts.limit),
    used: whole(amounts.used),
    reserved: whole(amounts.reserved),
    left: whole(amounts.left),
  };
  return { ...standing, ...(until !== undefined && { until: Date.parse(until) }) };
}

export function readCorrection({
  costUsd,
  at,
  ...correction
}: Answer<'POST /api/budget/corrections'>['corrections'][number]): Correction {
  return { ...correction, nanoUsd: Math.round(costUsd * 1e9), at: Date.parse(at) };
}

export function readJob({
  from,
  nextAt: _,
  last: __,
  addedAt,
  ...job
}: Answer<'GET /api/cron'>['jobs'][number]): KnownJob {
  return { job: { ...job, ...(addedAt !== undefined && { addedAt: Date.parse(addedAt) }) }, from };
}

export function readLastRun({ name, last }: Answer<'GET /api/cron'>['jobs'][number]): CronRun[] {
  if (last === undefined) return [];
  const startedAt = Date.parse(last.startedAt);
  const { sessionId, outcome } = last;
  const ended = outcome === 'running' ? {} : { outcome: outcome as CronOutcome };
  return [{ job: name, dueAt: startedAt, sessionId, startedAt, ...ended }];
}

function readRunRequest(request: RunDocument['request']): Run['request'] {
  if (request.kind !== 'prune' && request.kind !== 'archive') return request as Run['request'];
  const { before, after, ...rest } = request;
  return {
    ...rest,
    ...(before !== undefined && { before: Date.parse(before) }),
    ...(after !== undefined && { after: Date.parse(after) }),
  } as Run['request'];
}

export function readRun(document: RunDocument): Run {
  const { id, request, startedAt, finishedAt, expiresAt } = document;
  return {
    id,
    request: readRunRequest(request),
    startedAt: Date.parse(startedAt),
    ...(finishedAt !== undefined && { finishedAt: Date.parse(finishedAt) }),
    expiresAt: Date.parse(expiresAt),
  };
}

/** What a run needs to carry an item out stays with the daemon. */
export function readRunItem({ kind, id, forGood, ...rest }: Answer<'GET /api/runs/{id}'>['items'][number]): RunItem {
  return { ...rest, item: { kind, id }, fingerprint: '', skipsTrash: forGood ?? false } as RunItem;
}

export function readOutcome({ kind, id, ...rest }: OutcomeDocument): Outcome {
  return { ...rest, item: { kind, id } } as Outcome;
}

/** Names that are no text come as they are shown. */
export function readFile<T extends { readonly path: string }>(file: T): Omit<T, 'path'> & { readonly path: Buffer } {
  return { ...file, path: Buffer.from(file.path) };
}

export function readCheckpoint({ takenAt, ...rest }: CheckpointDocument): Checkpoint {
  return { ...rest, takenAt: Date.parse(takenAt) };
}

export function readStatus(document: Answer<'GET /api/status'>): HomeStatus {
  const { trashUntil, lastRun, nextMaintenanceAt, waiting, heldSince, ...rest } = document;
  return {
    ...(rest as Pick<HomeStatus, keyof typeof rest>),
    ...(trashUntil !== undefined && {
      trashUntil: { first: Date.parse(trashUntil.first), last: Date.parse(trashUntil.last) },
    }),
    ...(lastRun !== undefined && { lastRun: readRun(lastRun) }),
    ...(nextMaintenanceAt !== undefined && { nextMaintenanceAt: Date.parse(nextMaintenanceAt) }),
    ...(waiting !== undefined && { waiting: readWaiting(waiting) }),
    ...(heldSince !== undefined && { heldSince: Date.parse(heldSince) }),
  };
}

export function readCheckpointStatus(document: Answer<'GET /api/checkpoints/status'>): CheckpointStatus {
  const { projects, garbageUntil, ...rest } = document;
  return {
    ...(rest as Pick<CheckpointStatus, keyof typeof rest>),
    projects: projects.map((one) => ({ ...one, lastTakenAt: Date.parse(one.lastTakenAt) })),
    ...(garbageUntil !== undefined && { garbageUntil: Date.parse(garbageUntil) }),
  };
}

export function readReport(report: Answer<'POST /api/maintain'>): BackgroundReport {
  if (report.status === 'not-due') return { ...report, nextAt: Date.parse(report.nextAt) };
  if (report.status !== 'done') return report;
  const { at, waiting, ...rest } = report;
  return { ...rest, at: Date.parse(at), ...(waiting !== undefined && { waiting: readWaiting(waiting) }) };
}

function readWaiting({ until, reasons, ...rest }: NonNullable<Answer<'GET /api/status'>['waiting']>): Waiting {
  return {
    ...rest,
    reasons: reasons.map((reason) =>
      reason.kind === 'held' ? { ...reason, since: Date.parse(reason.since) } : reason,
    ),
    ...(until !== undefined && { until: Date.parse(until) }),
  };
}

export function readAuditRecord({ at, ...record }: Answer<'GET /api/audit'>['records'][number]): AuditRecord {
  return { at: Date.parse(at), ...record };
}
