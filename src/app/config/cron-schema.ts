import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { hideUrlSecrets } from '../../core/hide-url-secrets.ts';
import { schedulable } from '../../gateway/cron/read-schedule.ts';
import { amount, amountOrNever, choice, quote, timeZone, wordList } from './config-values.ts';

const text = (what: string) =>
  z
    .string({ error: ({ input }) => `${quote(input)} is not ${what}.` })
    .min(1, { error: () => `${what} cannot be empty.` });

/** Where the daemon was started is nobody's business: a path from there would lead elsewhere under another service manager. */
const wholePath = (what: string) =>
  text(what).refine(isAbsolute, {
    error: ({ input }) =>
      `${quote(input)} does not say where it begins. Write the whole path, such as /projects/app/x.`,
  });

const command = wordList().min(1, {
  error: 'The command is empty. Write it as a list, such as [my-agent, --task, report].',
});

/** Where something is delivered. */
export const deliveryTarget = z
  .strictObject({
    file: wholePath('the path of a file').describe('Write the output there; {job} and {session} are filled in.'),
    webhook: z
      .url({ protocol: /^https?$/, error: ({ input }) => `${hideUrlSecrets(quote(input))} is not a web address.` })
      .describe('Post the output to this address.'),
    command: command.describe('Start this command with the output on its standard input.'),
  })
  .exactPartial()
  .refine((given) => Object.keys(given).length > 0, {
    error: 'Write where the output goes: file, webhook or command.',
  });

const schedule = text('a schedule').refine(schedulable, {
  error: ({ input }) =>
    `${quote(input)} is no schedule, or never comes. Write minute, hour, day, month and weekday, such as "*/15 * * * *".`,
});

const cronJobSchema = z.strictObject({
  schedule: schedule.describe('Minute, hour, day, month, weekday, such as "*/15 * * * *".'),
  command: command.describe('The command and its arguments, such as [my-agent, --task, report].'),
  time_zone: timeZone().default('UTC').describe('The time zone of the schedule.'),
  workdir: wholePath('the path of a folder').exactOptional().describe('Where the command runs.'),
  missed: choice(['run-once', 'skip'])
    .default('run-once')
    .describe('Runs that were missed: run-once makes up for the newest, skip for none.'),
  overlap: choice(['skip', 'parallel'])
    .default('skip')
    .describe('While an earlier run is still going: skip this one, or run it in parallel.'),
  max_minutes: amountOrNever('minutes').default(60).describe('Stop a run after this many minutes.'),
  deliver: z
    .array(deliveryTarget)
    .default([])
    .describe('Where the output goes: a list of { file }, { webhook } or { command }.'),
});

const jobName = z.string().regex(/^[\w-]{1,64}$/, {
  error: ({ input }) =>
    `${quote(input)} cannot be the name of a job. Use letters, digits, - and _, at most 64 of them.`,
});

/** Jobs by name, in the configuration and as `coppice cron add` takes them. */
export const cronJobsSchema = z.record(jobName, cronJobSchema);

export const cronSchema = z.strictObject({
  jobs: cronJobsSchema.default({}).describe('What runs by the clock, by name.'),
  max_parallel: amount('count').default(4).describe('At most this many runs at once.'),
  after_delivery: choice(['remove', 'keep'])
    .default('remove')
    .describe('A run whose output has arrived: remove its session into the trash, or keep it as the other rules say.'),
});
