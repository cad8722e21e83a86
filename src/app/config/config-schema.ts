import { z } from 'zod';
import { amount, amountOrNever, choice, timeZone, wordList, yesOrNo } from './config-values.ts';
import { sessionsSchema } from './sessions-schema.ts';

const dumpsSchema = z.strictObject({
  max_count: amountOrNever('count').default(20).describe('Keep at most this many request dumps per session.'),
  retention_days: amountOrNever('days').default(14).describe('Remove request dumps older than this many days.'),
  redact: yesOrNo()
    .default(true)
    .describe('Take keys, tokens and passwords out of request dumps before they are saved.'),
});

const trashSchema = z.strictObject({
  grace_days: amount('days').default(7).describe('Removed items can be restored for this many days.'),
});

const archiveSchema = z.strictObject({
  codec: choice(['brotli', 'gzip']).default('brotli').describe('How archived sessions are compressed: brotli or gzip.'),
  retention_days: amountOrNever('days').default('never').describe('Remove archived sessions after this many days.'),
});

const diskSchema = z.strictObject({
  max_mb: amountOrNever('mb').default('never').describe('Cut back when the home takes more than this many megabytes.'),
  min_free_mb: amountOrNever('mb')
    .default('never')
    .describe('Cut back when the disk has fewer than this many megabytes free.'),
  low_water_percent: amount('percent')
    .default(85)
    .describe('Once cutting back for space, stop at this percentage of the limit.'),
  ballast_mb: amountOrNever('mb')
    .default(32)
    .describe('Reserve this many megabytes so that a full disk can still be cleaned up.'),
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

const guardSchema = z.strictObject({
  max_items: amount('count')
    .default(50)
    .describe('An automatic run may remove up to this many items, whatever share of all they are.'),
  max_percent: amount('percent')
    .default(20)
    .describe('Beyond max_items, an automatic run may remove up to this percentage of all items.'),
});

const checkpointsSchema = z.strictObject({
  enabled: yesOrNo().default(false).describe('Save the state of a working directory before an agent changes it.'),
  max_snapshots: amount('count').default(20).describe('Keep at most this many checkpoints per project.'),
  max_total_size_mb: amount('mb').default(500).describe('All checkpoints together take at most this many megabytes.'),
  max_file_size_mb: amount('mb').default(10).describe('Files larger than this many megabytes are left out.'),
  retention_days: amountOrNever('days').default(30).describe('Remove checkpoints older than this many days.'),
  auto_prune: yesOrNo().default(true).describe('Remove old checkpoints automatically, in the background.'),
  min_interval_hours: amount('hours').default(24).describe('Hours between two automatic runs.'),
  exclude: wordList().default([]).describe('Patterns of files and directories that are left out.'),
});

const resetFields = {
  mode: choice(['none', 'idle', 'daily', 'both']).describe(
    'When a conversation starts afresh: none, idle, daily or both.',
  ),
  idle_minutes: amount('minutes').describe(
    'With idle or both: start afresh after this many minutes without a message.',
  ),
  at_hour: amount('hourOfDay').describe('With daily or both: start afresh at this hour, 0 to 23.'),
  time_zone: timeZone().describe('The time zone of at_hour.'),
};

const sessionResetSchema = z.strictObject({
  mode: resetFields.mode.default('none'),
  idle_minutes: resetFields.idle_minutes.default(1440),
  at_hour: resetFields.at_hour.default(4),
  time_zone: resetFields.time_zone.default('UTC'),
  by_source: z
    .record(z.string(), z.strictObject(resetFields).exactPartial())
    .default({})
    .describe('What differs for one source, such as telegram: { mode: daily }.'),
});

const limitsSchema = z.strictObject({
  messages: amountOrNever('count').default(1000).describe('Start a conversation afresh after this many messages.'),
  mb: amountOrNever('mb').default(10).describe('Start a conversation afresh when it takes this many megabytes.'),
  warn_percent: amount('percent').default(80).describe('Warn at this percentage of a limit.'),
});

const budgetsSchema = z.strictObject({
  session: z
    .strictObject({
      tokens: amountOrNever('count').default('never').describe('Tokens one session may use.'),
      usd: amountOrNever('usd').default('never').describe('US dollars one session may cost.'),
      iterations: amountOrNever('count').default('never').describe('Steps one session may take.'),
      minutes: amountOrNever('minutes').default('never').describe('Minutes one session may run.'),
    })
    .prefault({})
    .describe('What one session may use.'),
  day: z
    .strictObject({
      tokens: amountOrNever('count').default('never').describe('Tokens all sessions may use in one day.'),
      usd: amountOrNever('usd').default('never').describe('US dollars all sessions may cost in one day.'),
    })
    .prefault({})
    .describe('What all sessions together may use in one day.'),
  on_breach: choice(['warn', 'reset', 'stop'])
    .default('stop')
    .describe('What happens when a budget is used up: warn, reset or stop.'),
});

/** The one description of config.yaml: parsing, defaults, the JSON Schema and the template all come from here. */
export const configSchema = z
  .strictObject({
    sessions: sessionsSchema.prefault({}).describe('How long sessions are kept.'),
    dumps: dumpsSchema.prefault({}).describe('Saved requests to models, kept for finding faults.'),
    trash: trashSchema.prefault({}).describe('Where removed items wait before they are gone for good.'),
    archive: archiveSchema.prefault({}).describe('Compressed sessions that can be restored.'),
    disk: diskSchema.prefault({}).describe('How much disk space the home may take.'),
    guard: guardSchema.prefault({}).describe('When an automatic run is refused because it would remove too much.'),
    checkpoints: checkpointsSchema.prefault({}).describe('Saved states of working directories.'),
    session_reset: sessionResetSchema.prefault({}).describe('When the gateway starts a conversation afresh.'),
    limits: limitsSchema.prefault({}).describe('How large one live conversation may grow.'),
    budgets: budgetsSchema.prefault({}).describe('What sessions may use before they are stopped.'),
  })
  .meta({ title: 'Coppice configuration', description: 'Every key is optional.' });

/** The whole configuration, every key present. Keys are spelled as in config.yaml. */
export type Config = DeepReadonly<z.output<typeof configSchema>>;

type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;
