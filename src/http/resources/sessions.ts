import type { z } from 'zod';
import { carriedDocument } from '../../app/documents/run-document.ts';
import { sessionDetailDocument, sessionDocument } from '../../app/documents/session-document.ts';
import type { GatewaySession } from '../../app/gateway/gateway-session.ts';
import { Failure } from '../../core/failure.ts';
import type { Verdict } from '../../core/gateway/gateway.ts';
import type { Once } from '../../core/gateway/once.ts';
import { isRemoval } from '../../core/retention/plan.ts';
import type { Outcome } from '../../core/retention/run.ts';
import { endedSession } from '../../core/sessions/check-session.ts';
import { pageOf } from '../pages.ts';
import { jsonRoute } from '../route.ts';
import { carriedSchema } from '../schemas/run-schemas.ts';
import {
  crashedListSchema,
  endCrashedSchema,
  endSchema,
  fileListQuery,
  fileListSchema,
  newSessionSchema,
  nextStepSchema,
  sessionChangeSchema,
  sessionDetailQuery,
  sessionDetailSchema,
  sessionSchema,
  stepSchema,
  usageAddedSchema,
  usageReportSchema,
} from '../schemas/session-schemas.ts';

/** A plan reads the whole home. */
const HEAVY = 1000;

export const sessionRoutes = [
  jsonRoute({
    method: 'POST',
    path: '/api/sessions',
    scope: 'append',
    summary: 'Start a session.',
    body: newSessionSchema,
    answer: sessionSchema,
    status: 201,
    location: ({ id }) => `/api/sessions/${encodeURIComponent(id)}`,
    repeat: 'noted',
    handle: async ({ parts: { home, sessions, news }, body, once }) => {
      const session = await home.sessions.create(body, once);
      const facts = await session.facts();
      sessions.use(session, facts);
      if (once?.isKnown !== true) await news.started(facts);
      return sessionDocument(facts);
    },
  }),
  jsonRoute({
    method: 'GET',
    path: '/api/sessions/{id}',
    scope: 'read',
    summary:
      'Show a session, by what people type: its id, `@last` or `@2` (its place in the list), characters that its id alone begins or ends with, its title, or what its title alone begins with; with `exact` by its whole id alone.',
    query: sessionDetailQuery,
    answer: sessionDetailSchema,
    handle: async ({ parts: { home }, id, query: { exact = false } }) => {
      const facts = await (exact ? (await home.sessions.open(id)).facts() : home.sessions.find(id));
      return sessionDetailDocument(facts, await (await home.sessions.open(facts.id)).usageByModel());
    },
  }),
  jsonRoute({
    method: 'GET',
    path: '/api/sessions/{id}/files',
    scope: 'read',
    summary: 'List the files that a session keeps on the machine of the daemon.',
    query: fileListQuery,
    answer: fileListSchema,
    handle: async ({ parts: { home }, id, query }) => {
      const { shown, about } = pageOf(await (await home.sessions.open(id)).files(), query);
      return { files: shown, ...about };
    },
  }),
  jsonRoute({
    method: 'PATCH',
    path: '/api/sessions/{id}',
    scope: 'manage',
    summary: 'Change the title, the tags or the pin of a session.',
    body: sessionChangeSchema,
    answer: sessionSchema,
    handle: async ({ parts: { home }, id, body: { title, pinned, addTags: add = [], removeTags: remove = [] } }) => {
      const session = await home.sessions.open(id);
      if (title !== undefined) await session.rename(title);
      if (pinned !== undefined) await (pinned ? session.pin() : session.unpin());
      return sessionDocument(await session.tag({ add, remove }));
    },
  }),
  jsonRoute({
    method: 'DELETE',
    path: '/api/sessions/{id}',
    scope: 'manage',
    summary:
      'Remove a session into the trash, as a plan for it alone would. `run` names the run that gives it back, and until when (`expiresAt`). Refused while a hold keeps the session.',
    cost: HEAVY,
    answer: carriedSchema,
    repeat: 'once',
    handle: async ({ parts: { home }, id }) => {
      // By its whole id alone: nothing is removed that was meant by its first characters.
      await home.sessions.open(id);
      const plan = await home.plan({ kind: 'delete', ids: [id] });
      const kept = plan.decisions.find((decision) => !isRemoval(decision) && decision.item.id === id);
      if (kept !== undefined) throw heldSession(id, kept.reason);
      const outcomes: Outcome[] = [];
      const { run, freedBytes } = await home.apply(plan, { onOutcome: (outcome) => void outcomes.push(outcome) });
      return carriedDocument({ run, outcomes, freedBytes, interrupted: false });
    },
  }),
  jsonRoute({
    method: 'POST',
    path: '/api/sessions/{id}/end',
    scope: 'append',
    summary: 'End a session. Ending it again changes nothing.',
    body: endSchema,
    answer: sessionSchema,
    handle: async ({ parts, id, body }) => sessionDocument(await (await parts.sessions.open(id)).end(body.reason)),
  }),
  jsonRoute({
    method: 'POST',
    path: '/api/end-crashed',
    scope: 'manage',
    summary: 'End open sessions whose process on the machine of the daemon is gone, and say which process that was.',
    body: endCrashedSchema,
    answer: crashedListSchema,
    handle: async ({ parts: { home }, body }) => ({ sessions: [...(await home.sessions.endCrashed(body.reason))] }),
  }),
  jsonRoute({
    method: 'POST',
    path: '/api/sessions/{id}/resume',
    scope: 'append',
    summary: 'Open an ended session again.',
    answer: sessionSchema,
    handle: async ({ parts, id }) => sessionDocument(await (await parts.sessions.open(id)).resume()),
  }),
  jsonRoute({
    method: 'POST',
    path: '/api/sessions/{id}/usage',
    scope: 'append',
    summary:
      'Add what a model call used: the difference, not a running total. It counts towards budgets; `verdict` is there when they have something to say. A session that is told to stop has ended.',
    body: usageReportSchema,
    answer: usageAddedSchema,
    repeat: 'noted',
    handle: async ({ parts, id, body, once }) => {
      const session = await parts.sessions.open(id);
      await using turn = (await parts.home.gateway.open(id)).beginTurn();
      const verdict = await turn.usage(body, undefined, once);
      return { usageByModel: await session.usageByModel(), ...(verdict.kind !== 'ok' && { verdict }) };
    },
  }),
  jsonRoute({
    method: 'POST',
    path: '/api/sessions/{id}/steps',
    scope: 'append',
    summary:
      'Ask before a step, such as a call of the model, and say what happened since the last one: tools that ran, and milliseconds of work. The step is counted unless `verdict` is `reset` or `stop`. A session that is told to stop has ended.',
    body: nextStepSchema,
    answer: stepSchema,
    repeat: 'noted',
    handle: async ({ parts, id, body, once }) => {
      await parts.sessions.open(id);
      const session = await parts.home.gateway.open(id);
      const { endedAt, endReason } = session.facts;
      if (endedAt !== undefined && once?.isKnown !== true) throw endedSession(id, endReason);
      return { verdict: await takeStep(session, body, once) };
    },
  }),
] as const;

/** Everything that a step counts is counted together, and under a key once. A verdict that was lost is heeded when it is asked for again. */
async function takeStep(
  session: GatewaySession,
  { tools = [], workedMs }: z.output<typeof nextStepSchema>,
  once: Once | undefined,
): Promise<Verdict> {
  await using turn = session.beginTurn(workedMs);
  // Calls before results: they may have run side by side.
  const calls = tools.map(({ name, args }) => ({ kind: 'call', name, ...(args !== undefined && { args }) }) as const);
  const results = tools.map(({ name, ok }) => ({ kind: 'result', name, ok }) as const);
  return await turn.nextStep([...calls, ...results], once);
}

function heldSession(id: string, reason: string): Failure {
  return new Failure('refused', `Session ${id} stays: ${reason}.`, {
    hint: `See what holds it: GET /api/explain/${encodeURIComponent(id)}`,
  });
}
