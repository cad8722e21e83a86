import type { KnownJob } from '../../app/gateway/cron-jobs.ts';
import type {
  CarriedDocument,
  HitDocument,
  JobDocument,
  MessageDocument,
  RouteDocument,
  RunDetailDocument,
  RunDocument,
  SessionDocument,
  SpendListDocument,
} from '../../client/documents.ts';
import type { CronOutcome, CronRun } from '../../core/cron-book.ts';
import type { Spend } from '../../core/gateway.ts';
import type { Message } from '../../core/message.ts';
import type { Route } from '../../core/route-book.ts';
import type { Outcome, Run, RunItem } from '../../core/run.ts';
import type { SessionFacts } from '../../core/session.ts';
import type { SearchHit } from '../../core/session-store.ts';

// Documents of the API as the values they were made from: times as numbers, and nothing that is derived.

export function readSession(document: SessionDocument): SessionFacts {
  const { startedAt, lastActiveAt, endedAt, archivedAt, sizeBytes: _, ...rest } = document;
  return {
    ...rest,
    startedAt: Date.parse(startedAt),
    lastActiveAt: Date.parse(lastActiveAt),
    ...(endedAt !== undefined && { endedAt: Date.parse(endedAt) }),
    ...(archivedAt !== undefined && { archivedAt: Date.parse(archivedAt) }),
  };
}

export function readMessage({ at, ...rest }: MessageDocument): Message {
  return { ...rest, at: Date.parse(at) };
}

export function readHit({ match, excerpt, message, ...session }: HitDocument): SearchHit {
  return {
    session: readSession(session),
    match,
    excerpt,
    ...(message !== undefined && { message: { ...message, at: Date.parse(message.at) } }),
  };
}

export function readRoute({ key, movedAt, session }: RouteDocument): Route {
  return { key, movedAt: Date.parse(movedAt), ...(session !== undefined && { session: readSession(session) }) };
}

export function readSpend(scope: Spend['scope'], document: SpendListDocument['spending'][number]): Spend {
  const { key = '', day: period = '', costUsd, ...used } = document;
  return { scope, key, period, used: { ...used, nanoUsd: Math.round(costUsd * 1e9) } };
}

export function readJob({ from, nextAt: _, last: __, ...job }: JobDocument): KnownJob {
  return { job, from };
}

export function readLastRun({ name, last }: JobDocument): CronRun[] {
  if (last === undefined) return [];
  const startedAt = Date.parse(last.startedAt);
  const { sessionId, outcome } = last;
  const ended = outcome === 'running' ? {} : { outcome: outcome as CronOutcome };
  return [{ job: name, dueAt: startedAt, sessionId, startedAt, ...ended }];
}

export function readRun(document: Omit<RunDocument, 'totals'>): Run {
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
export function readRunItem({ kind, id, ...rest }: RunDetailDocument['items'][number]): RunItem {
  return { ...rest, item: { kind, id }, fingerprint: '', skipsTrash: false } as RunItem;
}

export function readOutcome({ kind, id, ...rest }: CarriedDocument['items'][number]): Outcome {
  return { ...rest, item: { kind, id } } as Outcome;
}
