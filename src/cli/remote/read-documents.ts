import type { CheckpointStatus } from '../../app/checkpoint-status.ts';
import type { KnownJob } from '../../app/gateway/cron-jobs.ts';
import type { BackgroundReport } from '../../app/home.ts';
import type { HomeStatus } from '../../app/home-status.ts';
import type { Answer, Step } from '../../client/api.ts';
import type { MessageDocument, SessionDocument } from '../../client/documents.ts';
import type { Checkpoint } from '../../core/checkpoint.ts';
import type { CronOutcome, CronRun } from '../../core/cron-book.ts';
import type { Spend } from '../../core/gateway.ts';
import type { Message } from '../../core/message.ts';
import type { Route } from '../../core/route-book.ts';
import type { Outcome, Run, RunItem } from '../../core/run.ts';
import type { SessionFacts } from '../../core/session.ts';
import type { SearchHit } from '../../core/session-store.ts';

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
  const { key = '', day: period = '', costUsd, ...used } = document;
  return { scope, key, period, used: { ...used, nanoUsd: Math.round(costUsd * 1e9) } };
}

export function readJob({ from, nextAt: _, last: __, ...job }: Answer<'GET /api/cron'>['jobs'][number]): KnownJob {
  return { job, from };
}

export function readLastRun({ name, last }: Answer<'GET /api/cron'>['jobs'][number]): CronRun[] {
  if (last === undefined) return [];
  const startedAt = Date.parse(last.startedAt);
  const { sessionId, outcome } = last;
  const ended = outcome === 'running' ? {} : { outcome: outcome as CronOutcome };
  return [{ job: name, dueAt: startedAt, sessionId, startedAt, ...ended }];
}

export function readRun(document: RunDocument): Run {
  const { id, request, startedAt, finishedAt, expiresAt } = document;
  return {
    id,
    request: ('before' in request && request.before !== undefined
      ? { ...request, before: Date.parse(request.before) }
      : request) as Run['request'],
    startedAt: Date.parse(startedAt),
    ...(finishedAt !== undefined && { finishedAt: Date.parse(finishedAt) }),
    expiresAt: Date.parse(expiresAt),
  };
}

/** What a run needs to carry an item out stays with the daemon. */
export function readRunItem({ kind, id, ...rest }: Answer<'GET /api/runs/{id}'>['items'][number]): RunItem {
  return { ...rest, item: { kind, id }, fingerprint: '', skipsTrash: false } as RunItem;
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

export function readStatus({ trashUntil, lastRun, nextMaintenanceAt, ...rest }: Answer<'GET /api/status'>): HomeStatus {
  return {
    ...(rest as Pick<HomeStatus, keyof typeof rest>),
    ...(trashUntil !== undefined && {
      trashUntil: { first: Date.parse(trashUntil.first), last: Date.parse(trashUntil.last) },
    }),
    ...(lastRun !== undefined && { lastRun: readRun(lastRun) }),
    ...(nextMaintenanceAt !== undefined && { nextMaintenanceAt: Date.parse(nextMaintenanceAt) }),
  };
}

export function readCheckpointStatus(document: Answer<'GET /api/checkpoints/status'>): CheckpointStatus {
  const { projects, ...rest } = document;
  return {
    ...(rest as Pick<CheckpointStatus, keyof typeof rest>),
    projects: projects.map((one) => ({ ...one, lastTakenAt: Date.parse(one.lastTakenAt) })),
  };
}

export function readReport(report: Answer<'POST /api/maintain'>): BackgroundReport {
  if (report.status === 'not-due') return { ...report, nextAt: Date.parse(report.nextAt) };
  return 'at' in report ? { ...report, at: Date.parse(report.at) } : report;
}
