import { z } from 'zod';
import { ATTENTION_KINDS } from '../../app/attention.ts';
import { decisionSchema, itemSchema, shortfallSchema } from '../../app/documents/read-plan-document.ts';
import { CLEAN_UPS } from '../../core/retention/clean-up.ts';
import { runSchema } from './run-schemas.ts';
import { amount, count, problemSchema, time } from './values.ts';

const classSchema = z.object({
  name: z.enum(['sessions', 'strays', 'trash', 'archives', 'checkpoints']),
  ...amount.shape,
  /** How many stay, by reason. */
  kept: z.record(z.string(), count),
  reclaimable: amount,
});

const guardReason = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('first-run'), count }),
  z.object({ kind: z.literal('too-many'), of: z.enum(['sessions', 'items']), count, limit: count }),
  z.object({ kind: z.literal('empties-group'), source: z.string(), workdir: z.string().exactOptional() }),
  z.object({ kind: z.literal('stricter-policy'), count }),
  z.object({ kind: z.literal('trash-size'), count }),
  z.object({ kind: z.literal('held'), since: time }),
]);

/** What the rules let go of and the guard put off. */
const waitingSchema = z.object({
  items: count,
  sizeBytes: count,
  reasons: z.array(guardReason),
  until: time.exactOptional(),
});

export const homeStatusSchema = z
  .object({
    home: z.object({ id: z.string(), path: z.string() }),
    classes: z.array(classSchema),
    disk: z.object({ usedBytes: count, freeBytes: count, maxBytes: count.exactOptional() }),
    /** Together with the classes, all that the home takes on the disk. */
    rest: z.array(
      z.object({
        name: z.enum(['index', 'log', 'reserve', 'plans', 'audit', 'search', 'caches', 'other']),
        sizeBytes: count,
      }),
    ),
    /** In a home of another agent, every file in it by sort, the largest first. */
    files: z
      .array(z.object({ name: z.string(), files: count, sizeBytes: count, unbounded: z.boolean() }))
      .exactOptional(),
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
    waiting: waitingSchema.exactOptional(),
    heldSince: time.exactOptional(),
    /** What needs a person, the most urgent first; empty when all is well. */
    attention: z.array(z.object({ kind: z.enum(ATTENTION_KINDS), says: z.string(), command: z.string() })),
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
  /** Last active at most so many hours ago; without `maxHours`, everything older. */
  byAge: z.array(z.object({ maxHours: count.exactOptional(), ...sessionAmount })),
  byFileKind: z.array(z.object({ kind: z.string(), files: count, sizeBytes: count })),
  checkpoints: z.object({ count, sizeBytes: count }),
  reclaimable: z.array(z.object({ rule: z.enum(['empty', 'trivial', 'retention']), ...sessionAmount })),
  /** The commands that would free anything now, the one that would free most first. */
  cleanUps: z.array(z.object({ command: z.enum(CLEAN_UPS), ...amount.shape })),
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

/** `auto` heeds the settings and the interval; without it a pass is made now. `allow` also takes all that waits. */
export const maintainSchema = z.strictObject({
  auto: z.boolean().exactOptional(),
  allow: z.boolean().exactOptional(),
});

export const holdSchema = z.strictObject({ held: z.boolean() });
export const heldSchema = z.object({ heldSince: time.exactOptional() });

const pass = {
  at: time,
  closed: count,
  removed: count,
  emptied: count.exactOptional(),
  forGood: count.exactOptional(),
  archived: count.exactOptional(),
  skipped: count,
  freedBytes: count,
  runId: z.string().exactOptional(),
  notes: z.array(z.string()).exactOptional(),
  waiting: waitingSchema.exactOptional(),
};

/** What left the trash because its time to undo was over, although no pass was made. */
const emptiedSchema = z.object({ items: count, skipped: count, freedBytes: count }).exactOptional();

/** What became of the limits of checkpoints. */
const checkpoints = z
  .discriminatedUnion('status', [
    z.object({ status: z.enum(['off', 'within', 'busy']) }),
    z.object({
      status: z.literal('done'),
      removed: count,
      freedBytes: count,
      runId: z.string().exactOptional(),
      held: z.literal(true).exactOptional(),
    }),
    z.object({ status: z.literal('failed'), error: z.string() }),
  ])
  .exactOptional();

/** What was saved before its agent deletes it. */
const rescue = z.object({ archived: count, left: count, runId: z.string().exactOptional() }).exactOptional();

export const maintainedSchema = z.discriminatedUnion('status', [
  z.object({ status: z.literal('off'), emptied: emptiedSchema, checkpoints, rescue }),
  z.object({ status: z.literal('busy'), rescue }),
  z.object({ status: z.literal('failed'), error: z.string() }),
  z.object({ status: z.literal('not-due'), nextAt: time, emptied: emptiedSchema, checkpoints, rescue }),
  z.object({ status: z.literal('done'), ...pass, checkpoints, rescue }),
]);
