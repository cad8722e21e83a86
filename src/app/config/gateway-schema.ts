import { z } from 'zod';
import {
  GUARD_NAMES,
  GUARDS,
  type GuardName,
  type GuardSetting,
  guardSetting,
  type RateName,
  type StreakName,
} from '../../core/gateway/guards.ts';
import {
  type Counter,
  DAY_COUNTERS,
  FORMS,
  type Form,
  LIMITS,
  SIZE_COUNTERS,
  SPENT_COUNTERS,
  type Unit,
} from '../../core/gateway/limits.ts';
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
  ...limitSettings(SIZE_COUNTERS, ({ session }, range) =>
    amountOrNever(range).default(session.default).describe(session.about),
  ),
  warn_percent: amount('percent').default(80).describe('Warn at this percentage of a limit.'),
});

const perDay = z
  .strictObject(limitSettings(DAY_COUNTERS, ({ day }, range) => amountOrNever(range).describe(day.about)))
  .exactPartial();

export const budgetsSchema = z.strictObject({
  session: z
    .strictObject(
      limitSettings(SPENT_COUNTERS, ({ session }, range) =>
        amountOrNever(range).default(session.default).describe(session.about),
      ),
    )
    .prefault({})
    .describe('What one session may use.'),
  day: z
    .strictObject(
      limitSettings(DAY_COUNTERS, ({ day }, range) => amountOrNever(range).default('never').describe(day.ofAll)),
    )
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

/** One setting for each of these limits, by its unit. */
function limitSettings<C extends Counter, Setting>(
  counters: readonly C[],
  setting: (limit: (typeof LIMITS)[C], range: (typeof FORMS)[Form]['range']) => Setting,
) {
  return Object.fromEntries(
    counters.map((counter) => [LIMITS[counter].unit, setting(LIMITS[counter], FORMS[LIMITS[counter].form].range)]),
  ) as { [Each in C as Unit<Each>]: Setting };
}

export const guardsSchema = z.strictObject(
  Object.fromEntries(GUARD_NAMES.map((name) => [guardSetting(name), guardSchema(GUARDS[name])])) as {
    [N in StreakName as GuardSetting<N>]: ReturnType<typeof ladder>;
  } & { [N in RateName as GuardSetting<N>]: ReturnType<typeof rate> },
);

function guardSchema(guard: (typeof GUARDS)[GuardName]) {
  return guard.kind === 'rate' ? rate(guard) : ladder(guard);
}

function rate({ of, stop, about }: (typeof GUARDS)[RateName]) {
  return amountOrNever(FORMS[LIMITS[of].form].range).default(stop).describe(about);
}

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

function ladder({ ladder: { nudge, warn, stop }, about }: (typeof GUARDS)[StreakName]) {
  return z
    .strictObject({
      nudge: amountOrNever('count').default(nudge).describe('From this many on, suggest another way to the model.'),
      warn: amountOrNever('count').default(warn).describe('From this many on, warn the model.'),
      stop: amountOrNever('count').default(stop).describe('From this many on, stop the session.'),
    })
    .prefault({})
    .describe(about);
}
