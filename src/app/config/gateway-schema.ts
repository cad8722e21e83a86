import { z } from 'zod';
import { amount, amountList, amountOrNever, choice, timeZone } from './config-values.ts';
import { deliveryTarget } from './cron-schema.ts';

const resetFields = {
  mode: choice(['none', 'idle', 'daily', 'both']).describe(
    'When a conversation starts afresh: none, idle, daily or both.',
  ),
  idle_minutes: amount('minutes').describe(
    'With idle or both: start afresh after this many minutes without a message.',
  ),
  at_hour: amount('hourOfDay').describe('With daily or both: start afresh at this hour, 0 to 23.'),
  time_zone: timeZone().describe('The time zone of at_hour.'),
  max_background_hours: amount('hours').describe(
    'A run in the background puts a fresh start off for at most this many hours.',
  ),
  after: choice(['keep', 'drop-files', 'remove']).describe(
    'What becomes of the old conversation after a fresh start, once it is min_age_hours old: keep it like any other, drop-files (transcript and request dumps), or remove it.',
  ),
};

export const sessionResetSchema = z.strictObject({
  mode: resetFields.mode.default('none'),
  idle_minutes: resetFields.idle_minutes.default(1440),
  at_hour: resetFields.at_hour.default(4),
  time_zone: resetFields.time_zone.default('UTC'),
  max_background_hours: resetFields.max_background_hours.default(24),
  after: resetFields.after.default('keep'),
  by_source: z
    .record(z.string(), z.strictObject(resetFields).exactPartial())
    .default({})
    .describe('What differs for one source, such as telegram: { mode: daily }.'),
});

export const limitsSchema = z.strictObject({
  messages: amountOrNever('count')
    .default(1000)
    .describe('Start a conversation afresh after this many messages. What an agent prints is no message.'),
  mb: amountOrNever('mb')
    .default(10)
    .describe(
      'Start a conversation afresh when it takes this many megabytes, as coppice sessions list shows its size.',
    ),
  warn_percent: amount('percent').default(80).describe('Warn at this percentage of a limit.'),
});

const perDay = z
  .strictObject({
    tokens: amountOrNever('count').describe('Tokens it may use in one day.'),
    usd: amountOrNever('usd').describe('US dollars it may cost in one day.'),
  })
  .exactPartial();

export const budgetsSchema = z.strictObject({
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
  source: z
    .record(z.string(), perDay)
    .default({})
    .describe('What the sessions of one source may use in one day, such as cron: { tokens: 1000000 }.'),
  model: z
    .record(z.string(), perDay)
    .default({})
    .describe('What one model may be used for in one day, by its name, such as large: { usd: 20 }.'),
  time_zone: timeZone().default('UTC').describe('The time zone in which days begin, at midnight.'),
  on_breach: choice(['warn', 'reset', 'stop'])
    .default('stop')
    .describe('What happens when a budget is used up: warn, reset or stop.'),
  alert_at: amountList('percent')
    .default([50, 80, 100])
    .describe(
      'Tell of it when these percentages of a budget are used: as an event, once for each and day, or session.',
    ),
  alert_deliver: z
    .array(deliveryTarget)
    .default([])
    .describe('Where such an alert goes besides: a list of { file }, { webhook } or { command }.'),
  grace_percent: amount('percent')
    .default(10)
    .describe(
      'A supervised agent that is asked to end has ten seconds; in them it may use this percentage of a limit more, and is then killed.',
    ),
});

export const guardsSchema = z.strictObject({
  tool_errors: ladder({ nudge: 3, warn: 6, stop: 9 }).describe('Tool calls that failed in a row.'),
  same_tool: ladder({ nudge: 15, warn: 30, stop: 'never' }).describe('Calls of one tool, with no other in between.'),
  repeated_calls: ladder({ nudge: 3, warn: 5, stop: 'never' }).describe('Calls in a row with the same arguments.'),
  messages_per_minute: amountOrNever('count')
    .default(300)
    .describe('Stop a session that takes this many messages within a minute.'),
  tokens_per_minute: amountOrNever('count')
    .default(2_000_000)
    .describe('Stop a session that uses this many tokens within a minute; those read from a cache count a tenth.'),
  tokens_per_hour: amountOrNever('count')
    .default(8_000_000)
    .describe('Stop a session that uses this many tokens within an hour; those read from a cache count a tenth.'),
  mb_per_minute: amountOrNever('mb')
    .default(20)
    .describe('Stop a session that grows by this many megabytes within a minute.'),
});

export const pricesSchema = z
  .record(
    z.string(),
    z
      .strictObject({
        input: amount('price').describe('A million tokens of input.'),
        output: amount('price').describe('A million tokens of output.'),
        cache_read: amount('price').describe('A million tokens read from a cache; without it, the price of input.'),
        cache_write: amount('price').describe('A million tokens written to a cache; without it, the price of input.'),
        reasoning: amount('price').describe('A million tokens of reasoning; without it, the price of output.'),
      })
      .exactPartial(),
  )
  .default({})
  .describe('US dollars for a million tokens, where an agent does not say, such as large: { input: 3, output: 15 }.');

type Step = number | 'never';

function ladder({ nudge, warn, stop }: { nudge: Step; warn: Step; stop: Step }) {
  return z
    .strictObject({
      nudge: amountOrNever('count').default(nudge).describe('From this many on, suggest another way to the model.'),
      warn: amountOrNever('count').default(warn).describe('From this many on, warn the model.'),
      stop: amountOrNever('count').default(stop).describe('From this many on, stop the session.'),
    })
    .prefault({});
}
