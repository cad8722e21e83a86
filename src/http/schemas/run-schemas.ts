import { z } from 'zod';
import { planRequestSchema, planSchema } from '../../app/documents/read-plan-document.ts';
import { sessionListSchema } from './session-schemas.ts';
import { amount, count, countedQuery, flag, pageAnswer, pageQuery, text, time } from './values.ts';

export const newPlanSchema = z.strictObject({ request: planRequestSchema.exactOptional() });

export const planDocumentSchema = planSchema
  .extend({ totals: z.object({ keep: amount, go: amount, forGood: amount }) })
  .meta({ id: 'Plan' });

/** What of a plan is to stay. */
export const narrowSchema = z.strictObject({ ids: z.array(text).min(1).max(10_000) });

/** Without `forGood`, what the plan marks so goes into the trash instead, and trash in its grace stays. */
export const applyQuery = z.strictObject({ forGood: flag.exactOptional() });

const itemRef = { kind: z.string(), id: z.string() };

const runRequest = z.union([
  planRequestSchema,
  z.object({
    kind: z.literal('restore-checkpoint'),
    projectId: z.string(),
    workdir: z.string(),
    checkpointId: z.string(),
    safetyId: z.string(),
    paths: z.array(z.string()).exactOptional(),
  }),
]);

export const runSchema = z
  .object({
    id: z.string(),
    request: runRequest,
    startedAt: time,
    finishedAt: time.exactOptional(),
    expiresAt: time,
  })
  .meta({ id: 'Run' });

/** What became of one item. */
export const outcomeSchema = z
  .object({
    ...itemRef,
    action: z.string(),
    status: z.enum(['done', 'skipped']),
    detail: z.string().exactOptional(),
    sizeBytes: count,
    /** It skipped the trash, or left it early: nothing brings it back. */
    forGood: z.literal(true).exactOptional(),
  })
  .meta({ id: 'Outcome' });

export const carriedSchema = z
  .object({
    /** Absent when there was nothing to do. */
    run: runSchema.exactOptional(),
    done: count,
    skipped: count,
    freedBytes: count,
    interrupted: z.boolean(),
    items: z.array(outcomeSchema),
  })
  .meta({ id: 'Carried' });

export const runListQuery = z.strictObject({ ...pageQuery, after: text.exactOptional() });
export const runListSchema = z.object({
  runs: z.array(runSchema.extend({ totals: z.record(z.string(), amount) })),
  ...pageAnswer,
  next: z.string().exactOptional(),
});

export const runDetailQuery = z.strictObject(countedQuery);
export const runDetailSchema = runSchema.extend({
  items: z.array(
    z.object({
      number: z.int(),
      ...itemRef,
      action: z.string(),
      reason: z.string(),
      sizeBytes: count,
      state: z.string(),
      forGood: z.literal(true).exactOptional(),
      detail: z.string().exactOptional(),
      title: z.string().exactOptional(),
    }),
  ),
  ...pageAnswer,
  /** The number after which the next page begins; absent on the last one. */
  next: z.int().exactOptional(),
});

export const undoSchema = z.strictObject({ ids: z.array(text).min(1).max(1000).exactOptional() });

export const emptySchema = z.strictObject({
  /** Also forget what the sessions were called. */
  forget: z.boolean().exactOptional(),
  /** Only because its time to undo is over; refused while the clock is in doubt. */
  expired: z.boolean().exactOptional(),
});
export const emptiedSchema = z.object({ items: count, skipped: count, sizeBytes: count, freedBytes: count });

export const promptsSchema = z.object({ id: z.string(), prompts: z.string().exactOptional() });

export const archiveQuery = z.strictObject({ ...pageQuery, cursor: text.exactOptional() });
export const archiveListSchema = sessionListSchema;
export const archiveRestoreSchema = z.strictObject({ ids: z.array(text).min(1).max(1000) });
export const restoredSchema = carriedSchema.pick({ done: true, skipped: true, items: true });
