import type { AppSession, RemoteApp } from '../../app/app.ts';
import { requestDocument } from '../../app/documents/plan-document.ts';
import { readPlanDocument } from '../../app/documents/read-plan-document.ts';
import { type AppliedRun, type ApplyOptions, planId } from '../../app/retention.ts';
import type { Client } from '../../client/client.ts';
import type { CarriedDocument, PlanDocument } from '../../client/documents.ts';
import { Failure } from '../../core/failure.ts';
import type { Message } from '../../core/message.ts';
import type { Plan } from '../../core/plan.ts';
import { isoTime } from '../../core/time.ts';
import { followRemote } from './follow-remote.ts';
import {
  readHit,
  readJob,
  readLastRun,
  readMessage,
  readOutcome,
  readRoute,
  readRun,
  readRunItem,
  readSession,
  readSpend,
} from './read-documents.ts';

/** A home behind a daemon, as commands see it. */
export async function openRemoteHome(client: Client): Promise<RemoteApp> {
  const { trashGraceDays } = await client.home();
  const plan: RemoteApp['plan'] = async (request) =>
    readPlan(await client.plans.make(request && (requestDocument(request) as PlanDocument['request'])));
  return {
    config: { trash: { grace_days: trashGraceDays } },
    sessions: remoteSessions(client),
    gateway: remoteGateway(client),
    plan,
    apply: async (given, options) => applied(await client.plans.apply(planId(given)), options),
    undo: async (runId, options) => applied(await client.runs.undo(runId, options?.ids), options),
    savedPlan: async (id) => readPlan(await client.plans.get(id)),
    retention: async () => ({
      plan,
      runs: () => mapped(client.runs.list(), readRun),
      items: (runId) => mapped(client.runs.items(runId), readRunItem),
    }),
    scheduler: () => remoteScheduler(client),
    [Symbol.dispose]: () => client[Symbol.dispose](),
  };
}

function remoteSessions(client: Client): RemoteApp['sessions'] {
  return {
    list: (given) => {
      const { since, before, sort, ...query } = given ?? {};
      return mapped(
        client.sessions.list({
          ...query,
          ...(since !== undefined && { since: isoTime(since) }),
          ...(before !== undefined && { before: isoTime(before) }),
          ...(sort !== undefined && sort !== 'stored' && { sort }),
        }),
        readSession,
      );
    },
    find: async (id) => readSession(withoutUsage(await client.sessions.get(id))),
    get: (id) => client.sessions.get(id).then((found) => readSession(withoutUsage(found)), undefinedIfMissing),
    search: async ({ text, ...query }) => (await client.sessions.search(text, query)).map(readHit),
    // Only search knows them, and it is on the other side.
    archivedPrompts: async () => undefined,
    open: async (id) => remoteSession(client, id),
  };
}

function remoteSession(client: Client, id: string): AppSession {
  const messages = (range = {}): AsyncGenerator<Message> => mapped(client.sessions.messages(id, range), readMessage);
  const ended = async () => (await client.sessions.get(id)).endedAt !== undefined;
  return {
    messages,
    follow: (options) => followRemote({ messages, ended }, options),
    usageByModel: async () => (await client.sessions.get(id)).usageByModel,
    files: () => {
      throw new Failure('usage', 'The files of a session are on the machine of the daemon.', {
        hint: 'Leave out --files, or run the command there.',
      });
    },
  };
}

function remoteGateway(client: Client): RemoteApp['gateway'] {
  return {
    routes: () => mapped(client.routes.list(), readRoute),
    reset: async (key, reason) => readSession((await client.routes.reset(key, reason)).session),
    spend: async (scope) => (await client.usage(scope)).spending.map((one) => readSpend(scope, one)),
    async resolve(request) {
      const { session, resolution } = await client.routes.resolve(request);
      // The daemon holds the session, and gives it up when nobody uses it.
      return { facts: readSession(session), resolution, session: { release: async () => undefined } };
    },
  };
}

async function remoteScheduler(client: Client): ReturnType<RemoteApp['scheduler']> {
  const jobs = await client.cron.list();
  return {
    jobs: async () => jobs.map(readJob),
    next: async (name, count) => (await client.cron.next(name, count)).map((at) => Date.parse(at)),
    lastRuns: async (name) => jobs.filter((job) => job.name === name).flatMap(readLastRun),
  };
}

function readPlan(document: PlanDocument): Plan {
  return readPlanDocument(JSON.stringify(document), 'the answer of the daemon');
}

function applied(document: CarriedDocument, options: ApplyOptions = {}): AppliedRun {
  const { run, done, skipped, freedBytes, items } = document;
  for (const item of items) options.onOutcome?.(readOutcome(item));
  if (run === undefined) throw new Failure('failed', 'The daemon did not say which run it was.');
  return { run: readRun(run), done, skipped, freedBytes };
}

function withoutUsage<T extends { usageByModel: unknown }>({ usageByModel: _, ...session }: T) {
  return session;
}

function undefinedIfMissing(error: unknown): undefined {
  if (!(error instanceof Failure) || error.code !== 'not-found') throw error;
}

async function* mapped<From, To>(items: AsyncIterable<From>, read: (item: From) => To): AsyncGenerator<To> {
  for await (const item of items) yield read(item);
}
