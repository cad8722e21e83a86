import { z } from 'zod';
import { decisionSchema, itemSchema, shortfallSchema } from '../../app/documents/read-plan-document.ts';
import { runSchema } from './run-schemas.ts';
import { amount, count, problemSchema, time } from './values.ts';

const classSchema = z.object({
  name: z.enum(['sessions', 'strays', 'trash', 'archives', 'checkpoints']),
  ...amount.shape,
  /** How many stay, by reason. */
  kept: z.record(z.string(), count),
  reclaimable: amount,
});

export const homeStatusSchema = z
  .object({
    home: z.object({ id: z.string(), path: z.string() }),
    classes: z.array(classSchema),
    disk: z.object({ usedBytes: count, freeBytes: count, maxBytes: count.exactOptional() }),
    trashUntil: z.object({ first: time, last: time }).exactOptional(),
    notes: z.array(z.string()),
    shortfalls: z.array(shortfallSchema),
    problems: z.array(problemSchema),
    oversized: z.array(
      z.object({
        id: z.string(),
        source: z.string(),
        title: z.string().exactOptional(),
        open: z.boolean(),
        messageCount: count,
        sizeBytes: count,
        maxMessages: count.exactOptional(),
        maxBytes: count.exactOptional(),
      }),
    ),
    lastRun: runSchema.exactOptional(),
    nextMaintenanceAt: time.exactOptional(),
  })
  .meta({ id: 'Status' });

export const explanationSchema = z.object({
  decision: decisionSchema,
  checks: z.array(
    z.object({
      rule: z.string(),
      met: z.boolean(),
      limitMs: z.number().exactOptional(),
      off: z.literal(true).exactOptional(),
      stoppedBy: z.enum(['keep-last', 'doubt']).exactOptional(),
    }),
  ),
  lineage: z.array(itemSchema),
});

const sessionAmount = { sessions: count, messages: count, sizeBytes: count };

export const statsSchema = z.object({
  total: z.object(sessionAmount),
  bySource: z.array(z.object({ source: z.string(), ...sessionAmount })),
  byAge: z.array(z.object({ maxDays: count.exactOptional(), ...sessionAmount })),
  byFileKind: z.array(z.object({ kind: z.string(), files: count, sizeBytes: count })),
  reclaimable: z.array(z.object({ rule: z.enum(['empty', 'trivial', 'retention']), ...sessionAmount })),
});

export const checkSchema = z.object({
  name: z.string(),
  looked: count.exactOptional(),
  problems: z.array(problemSchema),
});
export const checkListSchema = z.object({ checks: z.array(checkSchema) });

export const repairStepSchema = z.discriminatedUnion('status', [
  z.object({ status: z.literal('begun'), name: z.string(), message: z.string() }),
  z.object({ status: z.literal('done'), name: z.string(), message: z.string(), left: z.array(problemSchema) }),
]);
export const repairSchema = z.strictObject({});
export const repairListSchema = z.object({ repairs: z.array(repairStepSchema) });

/** `auto` heeds the settings and the interval; without it a pass is made now. */
export const maintainSchema = z.strictObject({ auto: z.boolean().exactOptional() });

const pass = {
  at: time,
  closed: count,
  removed: count,
  archived: count.exactOptional(),
  skipped: count,
  freedBytes: count,
  runId: z.string().exactOptional(),
};

const guardReason = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('first-run'), count }),
  z.object({ kind: z.literal('too-many'), of: z.enum(['sessions', 'items']), count, limit: count }),
  z.object({ kind: z.literal('empties-group'), source: z.string(), workdir: z.string().exactOptional() }),
  z.object({ kind: z.literal('stricter-policy'), count }),
]);

export const maintainedSchema = z.discriminatedUnion('status', [
  z.object({ status: z.literal('off') }),
  z.object({ status: z.literal('busy') }),
  z.object({ status: z.literal('failed'), error: z.string() }),
  z.object({ status: z.literal('not-due'), nextAt: time }),
  z.object({ status: z.literal('done'), ...pass }),
  z.object({ status: z.literal('announced'), reasons: z.array(guardReason), held: count, ...pass }),
]);
