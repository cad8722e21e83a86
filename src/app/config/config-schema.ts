import { z } from 'zod';
import { archiveSchema } from './archive-schema.ts';
import { amount, amountOrNever, wordList, yesOrNo } from './config-values.ts';
import { cronSchema } from './cron-schema.ts';
import { budgetsSchema, guardsSchema, limitsSchema, pricesSchema, sessionResetSchema } from './gateway-schema.ts';
import { sessionsSchema } from './sessions-schema.ts';
import { serveSchema, webhooksSchema } from './webhooks-schema.ts';

const dumpsSchema = z.strictObject({
  max_count: amountOrNever('count').default(20).describe('Keep at most this many request dumps per session.'),
  retention_days: amountOrNever('days').default(14).describe('Remove request dumps older than this many days.'),
  redact: yesOrNo()
    .default(true)
    .describe('Take keys, tokens and passwords out of request dumps before they are saved.'),
});

const trashSchema = z.strictObject({
  grace_days: amount('days').default(7).describe('Removed items can be restored for this many days.'),
  max_mb: amountOrNever('mb')
    .default(10_240)
    .describe('When the trash takes more than this many megabytes, its oldest runs are announced and go early.'),
});

const diskSchema = z.strictObject({
  max_mb: amountOrNever('mb').default('never').describe('Cut back when the home takes more than this many megabytes.'),
  min_free_mb: amountOrNever('mb')
    .default('never')
    .describe('Cut back when the disk has fewer than this many megabytes free.'),
  for_good: yesOrNo()
    .default(false)
    .describe(
      'Let automatic runs empty trash early and skip it where these limits ask for it; else they wait for its grace.',
    ),
  low_water_percent: amount('percent')
    .default(85)
    .describe('Once cutting back for space, stop at this percentage of the limit.'),
  ballast_mb: amountOrNever('mb')
    .default(32)
    .describe('Reserve an eighth of the database, at most this many megabytes, so that a full disk can be cleaned up.'),
  by_source: z
    .record(
      z.string(),
      z
        .strictObject({
          max_mb: amountOrNever('mb').describe('Cut back when this source takes more than this many megabytes.'),
        })
        .exactPartial(),
    )
    .default({})
    .describe('A limit of its own for one source, such as telegram: { max_mb: 200 }.'),
});

const homesSchema = z.strictObject({
  rescue: yesOrNo()
    .default(false)
    .describe('Archive what another agent is about to delete by itself although your rules keep it, before it does.'),
  search_max_mb: amountOrNever('mb')
    .default(2048)
    .describe(
      'The search index over homes of other agents takes at most this many megabytes. Beyond that, what the oldest sessions say is left out. It counts in the home that is in use.',
    ),
});

const guardSchema = z.strictObject({
  max_items: amount('count')
    .default(50)
    .describe('An automatic run removes up to this many items at once, whatever share of all they are.'),
  max_percent: amount('percent')
    .default(20)
    .describe('Beyond max_items, an automatic run removes up to this percentage of all items at once.'),
  notice_days: amount('days')
    .default(3)
    .describe('What is more than that is announced, and goes after this many days unless somebody holds it.'),
});

const checkpointsSchema = z.strictObject({
  enabled: yesOrNo()
    .default(false)
    .describe('Save the state of a working directory before an agent changes it. By hand it is possible either way.'),
  max_snapshots: amount('count').default(20).describe('Keep at most this many checkpoints per project.'),
  max_total_size_mb: amount('mb')
    .default(500)
    .describe(
      'All checkpoints together take at most this many megabytes of disk, with trash, caches and what waits to be given back. Above it, caches go first, then trash of checkpoints, then the oldest checkpoints, for good and without asking.',
    ),
  max_file_size_mb: amount('mb').default(10).describe('Files larger than this many megabytes are left out.'),
  max_files: amount('count').default(200_000).describe('Directories with more files than this are not saved.'),
  retention_days: amountOrNever('days')
    .default(30)
    .describe('Remove checkpoints older than this many days, and the last one of a folder after three times as many.'),
  auto_prune: yesOrNo()
    .default(true)
    .describe('Hold these limits automatically: after each checkpoint, in the daemon and with coppice maintain.'),
  delete_orphans: yesOrNo()
    .default(true)
    .describe(
      'Let those automatic runs remove checkpoints of folders that are gone: seen twice, a day apart. A folder on a volume that is not there is not gone.',
    ),
  min_interval_hours: amount('hours').default(24).describe('Hours between two automatic runs.'),
  exclude: wordList().default([]).describe('Patterns of files and directories that are left out.'),
});

/** The one description of config.yaml: parsing, defaults, the JSON Schema and the template all come from here. */
export const configSchema = z
  .strictObject({
    sessions: sessionsSchema.prefault({}).describe('How long sessions are kept.'),
    dumps: dumpsSchema.prefault({}).describe('Saved requests to models, kept for finding faults.'),
    trash: trashSchema.prefault({}).describe('Where removed items wait before they are gone for good.'),
    archive: archiveSchema.prefault({}).describe('Compressed sessions that can be restored.'),
    disk: diskSchema.prefault({}).describe('How much disk space the home may take.'),
    homes: homesSchema.prefault({}).describe('Homes of other agents.'),
    guard: guardSchema.prefault({}).describe('When an automatic run slows down because it would remove much at once.'),
    checkpoints: checkpointsSchema.prefault({}).describe('Saved states of working directories.'),
    session_reset: sessionResetSchema.prefault({}).describe('When the gateway starts a conversation afresh.'),
    limits: limitsSchema.prefault({}).describe('How large one live conversation may grow.'),
    budgets: budgetsSchema.prefault({}).describe('What sessions may use before they are stopped.'),
    guards: guardsSchema
      .prefault({})
      .describe('When a live session is told that it goes round in circles or runs away.'),
    prices: pricesSchema,
    cron: cronSchema.prefault({}).describe('What runs by the clock.'),
    serve: serveSchema.prefault({}).describe('How coppice serve is reached.'),
    webhooks: webhooksSchema.prefault({}).describe('How webhooks know that a delivery is yours.'),
  })
  .meta({ title: 'Coppice configuration', description: 'Every key is optional.' });

/** The whole configuration, every key present. Keys are spelled as in config.yaml. */
export type Config = DeepReadonly<z.output<typeof configSchema>>;

type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;
