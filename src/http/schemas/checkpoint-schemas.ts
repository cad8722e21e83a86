import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { shortfallSchema } from '../../app/documents/read-plan-document.ts';
import { runSchema } from './run-schemas.ts';
import { amount, count, countedAnswer, countedQuery, problemSchema, text, texts, time } from './values.ts';

/** Seen from the machine that the daemon runs on; it has no folder of its own to count from. */
const folder = text.refine((path) => isAbsolute(path) && !path.includes('\0'), 'must be a whole path');
const paths = z.array(text).min(1).max(1000).exactOptional();

const checkpoint = {
  id: z.string(),
  projectId: z.string(),
  workdir: z.string(),
  takenAt: time,
  reason: z.string(),
  kind: z.enum(['taken', 'safety']),
  sessionId: z.string().exactOptional(),
  turn: z.int().exactOptional(),
  seq: z.int().exactOptional(),
  fileCount: count,
  leftOutCount: count,
  tree: z.string(),
  pinned: z.boolean(),
};

export const checkpointSchema = z.object(checkpoint).meta({ id: 'Checkpoint' });

export const checkpointListQuery = z.strictObject({ workdir: folder.exactOptional(), ...countedQuery });
export const checkpointListSchema = z.object({ checkpoints: z.array(checkpointSchema), ...countedAnswer });

export const takeSchema = z.strictObject({
  workdir: folder,
  reason: text.exactOptional(),
  sessionId: text.exactOptional(),
  turn: z.int().min(0).exactOptional(),
});

export const takenSchema = z.object({
  ...checkpoint,
  status: z.enum(['taken', 'unchanged']),
  leftOut: z.array(z.object({ path: z.string(), why: z.enum(['too-large', 'unreadable', 'changing']) })),
});

export const checkpointDetailSchema = z.object({
  ...checkpoint,
  previousId: z.string().exactOptional(),
  changes: z.object({ added: count, changed: count, removed: count, sizeBytes: count }),
});

const rules = { retentionMs: z.number(), maxSnapshots: count, maxBytes: count };

export const checkpointStatusSchema = z.object({
  projects: z.array(
    z.object({
      id: z.string(),
      workdir: z.string(),
      place: z.enum(['present', 'gone', 'unreachable']),
      checkpoints: count,
      pinned: count,
      lastTakenAt: time,
      ownBytes: count,
    }),
  ),
  checkpoints: count,
  sizeBytes: count,
  sharedBytes: count,
  garbageBytes: count,
  garbageUntil: time.exactOptional(),
  indexBytes: count,
  limits: z.object(rules).partial(),
  reclaimable: amount,
  trash: amount,
  legacy: amount,
  problems: z.array(problemSchema),
  shortfalls: z.array(shortfallSchema),
});

export const verifiedSchema = z.object({ checkpoints: count, ok: z.boolean(), problems: z.array(problemSchema) });

export const reclaimSchema = z.strictObject({});
export const reclaimedSchema = z.object({ freedBytes: count });

export const pinSchema = z.strictObject({ pinned: z.boolean() });

/** `path` may be given several times. */
export const diffQuery = z.strictObject({ to: text.exactOptional(), path: texts.exactOptional() });

const change = { path: z.string(), kind: z.enum(['added', 'removed', 'changed']) };
export const diffSchema = z.object({
  from: z.string(),
  to: z.string().exactOptional(),
  workdir: z.string(),
  files: z.array(
    z.union([
      z.object({ ...change, binary: z.literal(true) }),
      z.object({ ...change, binary: z.literal(false), addedLines: count, removedLines: count }),
    ]),
  ),
});

export const restoreSchema = z.strictObject({
  /** Says what would be done, and does nothing. */
  dryRun: z.boolean().exactOptional(),
  paths,
  withSession: z.boolean().exactOptional(),
});

export const restoredFileSchema = z.object({
  ...change,
  status: z.enum(['done', 'skipped']),
  detail: z.string().exactOptional(),
});

export const restoreDoneSchema = z.object({
  dryRun: z.boolean(),
  checkpoint: checkpointSchema,
  safety: checkpointSchema.exactOptional(),
  run: runSchema.exactOptional(),
  done: count.exactOptional(),
  skipped: count.exactOptional(),
  sessionDetail: z.string().exactOptional(),
  files: z.array(restoredFileSchema),
});
