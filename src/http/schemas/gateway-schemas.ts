import { z } from 'zod';
import { FEED_KINDS } from '../../core/gateway/feed-kinds.ts';
import { LIMITS, ofEachSpent, SPENT_UNITS } from '../../core/gateway/limits.ts';
import { sessionSchema } from './session-schemas.ts';
import { anyJson, count, countedAnswer, countedQuery, pageAnswer, pageQuery, text, texts, time } from './values.ts';

const SPEND_SCOPES = ['session', 'source', 'day', 'model'] as const;

export const usageQuery = z.strictObject({ by: z.enum(SPEND_SCOPES).exactOptional(), ...countedQuery });

/** Dollars have a name of their own in documents. */
const { nanoUsd: _, ...spent } = ofEachSpent((counter) => (LIMITS[counter].form === 'time' ? z.number() : count));

export const spendListSchema = z.object({
  by: z.enum(SPEND_SCOPES),
  spending: z.array(
    z.object({
      key: z.string().exactOptional(),
      day: z.string().exactOptional(),
      ...spent,
      costUsd: z.number(),
      unpriced: z.boolean().exactOptional(),
    }),
  ),
  ...countedAnswer,
});

const budgetSchema = z.object({
  scope: z.enum(SPEND_SCOPES),
  key: z.string().exactOptional(),
  of: z.enum(SPENT_UNITS),
  limit: z.number(),
  used: z.number(),
  reserved: z.number(),
  left: z.number(),
  until: time.exactOptional(),
});
export const budgetQuery = z.strictObject({ session: text.exactOptional(), ...countedQuery });
export const budgetListSchema = z.object({ budgets: z.array(budgetSchema), ...countedAnswer });

export const correctSchema = z.strictObject({
  sessionId: text,
  tokens: z.int().min(0).exactOptional(),
  costUsd: z.number().min(0).exactOptional(),
  by: text,
  reason: text,
  day: text.exactOptional(),
  model: text.exactOptional(),
});
export const correctionListSchema = z.object({
  corrections: z.array(
    z.object({
      sessionId: z.string(),
      tokens: count,
      costUsd: z.number(),
      by: z.string(),
      reason: z.string(),
      at: time,
    }),
  ),
});

const routeSchema = z.object({ key: z.string(), movedAt: time, session: sessionSchema.exactOptional() });

export const routeListSchema = z.object({
  routes: z.array(routeSchema),
  ...pageAnswer,
  next: z.string().exactOptional(),
});
export const routeListQuery = z.strictObject({
  source: text.exactOptional(),
  ...pageQuery,
  after: text.exactOptional(),
});

export const resolveSchema = z.strictObject({
  key: text,
  source: text,
  workdir: text.exactOptional(),
  model: text.exactOptional(),
  title: text.exactOptional(),
});

export const resolvedSchema = z.object({
  key: z.string(),
  resolution: z.union([
    z.object({ kind: z.enum(['created', 'continued', 'resumed']) }),
    z.object({ kind: z.literal('reset'), reason: z.string(), previousId: z.string() }),
  ]),
  session: sessionSchema,
  budgets: z.array(budgetSchema),
});

export const resetSchema = z.strictObject({ key: text, reason: text.exactOptional() });
export const resetDoneSchema = z.object({ key: z.string(), session: sessionSchema });

const delivery = z.union([
  z.object({ kind: z.literal('file'), path: z.string() }),
  z.object({ kind: z.literal('webhook'), url: z.string() }),
  z.object({ kind: z.literal('command'), command: z.array(z.string()), workdir: z.string().exactOptional() }),
]);

export const jobListQuery = z.strictObject(countedQuery);
export const jobListSchema = z.object({
  ...countedAnswer,
  jobs: z.array(
    z.object({
      name: z.string(),
      addedAt: time.exactOptional(),
      schedule: z.string(),
      timeZone: z.string(),
      command: z.array(z.string()),
      workdir: z.string().exactOptional(),
      missed: z.enum(['run-once', 'skip']),
      overlap: z.enum(['skip', 'parallel']),
      maxMinutes: z.number().exactOptional(),
      deliver: z.array(delivery),
      from: z.enum(['config', 'command']),
      nextAt: time.exactOptional(),
      last: z.object({ sessionId: z.string(), startedAt: time, outcome: z.string() }).exactOptional(),
    }),
  ),
});

export const nextQuery = z.strictObject({ count: z.coerce.number().int().min(1).max(100).exactOptional() });
export const nextTimesSchema = z.object({ job: z.string(), times: z.array(time) });

export const jobRunSchema = z.object({
  job: z.string(),
  sessionId: z.string(),
  outcome: z.enum(['done', 'failed', 'stopped']),
  /** Of a run that is done only what else is to be said of it. */
  why: z.string().exactOptional(),
  undelivered: count,
});

export const jobRemovedSchema = z.object({ removed: z.string() });

/** What follows `data:` in the stream of events. */
export const eventSchema = z.object({
  at: time,
  kind: z.string(),
  sessionId: z.string().exactOptional(),
  message: z.string(),
  /** What the sentence says in numbers and words. */
  figures: z.record(z.string(), anyJson).exactOptional(),
});

/** A kind that is none would be waited for without end. */
const feedKinds = texts.refine((kinds) => kinds.every((kind) => FEED_KINDS.some((known) => known === kind)), {
  error: `There is no such kind of event. There are: ${FEED_KINDS.join(', ')}`,
});

/** Which events to send; `type` may be given several times. */
export const eventsQuery = z.strictObject({ type: feedKinds.exactOptional(), session: text.exactOptional() });
