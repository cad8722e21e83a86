import { z } from 'zod';
import { amount, amountOrNever, choice, wordList, yesOrNo } from './config-values.ts';

/** What can differ from source to source. No defaults here: a key that a source leaves out keeps the general value. */
const perSource = {
  retention_days: amountOrNever('days').describe('Remove ended sessions not used for this many days.'),
  transcript_retention_days: amountOrNever('days').describe(
    'Remove only the files of ended sessions not used for this many days; the database keeps the messages.',
  ),
  empty_hours: amountOrNever('hours').describe(
    'Remove sessions in which nothing was said or printed after this many hours.',
  ),
  trivial_max: amount('count').describe(
    'A session with at most this many messages and pieces of output counts as trivial.',
  ),
  trivial_days: amountOrNever('days').describe('Remove trivial sessions not used for this many days.'),
  archive_after_days: amountOrNever('days').describe(
    'Move ended sessions not used for this many days into the archive, compressed and restorable.',
  ),
  max_sessions: amountOrNever('count').describe('Keep at most this many sessions, the most recently used first.'),
  min_age_hours: amount('hours').describe(
    'Never remove a session younger than this many hours, unless a person names it.',
  ),
  keep_last: amountOrNever('count').describe(
    'Always keep this many of the newest sessions of each source and project; never for none of them.',
  ),
  keep_tags: wordList().describe('Always keep sessions that carry one of these tags.'),
  abandon_after_hours: amount('hours').describe(
    'Close a session that was left open, and that no process holds and no route leads to, after this many hours without activity.',
  ),
  active_grace_minutes: amount('minutes').describe('An open session used within this many minutes counts as active.'),
  max_messages: amountOrNever('count').describe('The most messages one session may hold.'),
  max_mb: amountOrNever('mb').describe('The most megabytes one session may take on disk.'),
  transcripts: choice(['on', 'off']).describe('Write a readable transcript file beside the database: on or off.'),
};

const sourceSchema = z.strictObject(perSource).exactPartial();

/** Runs of a schedule leave rows only, unless the user asks for transcripts of cron by name. */
const cronSchema = sourceSchema
  .extend({ transcripts: perSource.transcripts.default('off') })
  .prefault({})
  .describe('What differs for scheduled runs.');

/** How long sessions are kept. */
export const sessionsSchema = z.strictObject({
  auto_prune: yesOrNo().default(false).describe('Apply these rules automatically, in the background.'),
  min_interval_hours: amount('hours').default(24).describe('Hours between two automatic runs.'),
  retention_days: perSource.retention_days.default(90),
  transcript_retention_days: perSource.transcript_retention_days.default('never'),
  empty_hours: perSource.empty_hours.default(24),
  trivial_max: perSource.trivial_max.default(5),
  trivial_days: perSource.trivial_days.default(7),
  archive_after_days: perSource.archive_after_days.default('never'),
  max_sessions: perSource.max_sessions.default('never'),
  min_age_hours: perSource.min_age_hours.default(24),
  keep_last: perSource.keep_last.default(1),
  keep_tags: perSource.keep_tags.default(['keep']),
  abandon_after_hours: perSource.abandon_after_hours.default(24),
  active_grace_minutes: perSource.active_grace_minutes.default(30),
  max_messages: perSource.max_messages.default(1000),
  max_mb: perSource.max_mb.default(10),
  transcripts: perSource.transcripts.default('on'),
  by_source: z
    .object({ cron: cronSchema })
    .catchall(sourceSchema)
    .prefault({})
    .describe('What differs for one source, such as cron or telegram; keys left out keep the values above.'),
});
