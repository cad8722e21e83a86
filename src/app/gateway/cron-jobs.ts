import type { z } from 'zod';
import { Failure } from '../../core/failure.ts';
import type { SessionStore } from '../../core/session-store.ts';
import type { CronJob, DeliveryTarget } from '../../gateway/cron/cron-job.ts';
import { scheduleOf } from '../../gateway/cron/due-slots.ts';
import type { Config } from '../config/config-schema.ts';
import type { cronJobSchema } from '../config/cron-schema.ts';

/** A job as it is written down, in the configuration or by command. */
export type CronJobSpec = Config['cron']['jobs'][string];

/** What a caller says of a job: whatever is left out has its default. */
export type NewCronJob = z.input<typeof cronJobSchema>;

/** Fills in the defaults, or says what is wrong. */
export async function checkedSpec(given: NewCronJob): Promise<CronJobSpec> {
  // Loaded here: only who adds a job needs the parser.
  const { cronJobSchema } = await import('../config/cron-schema.ts');
  const parsed = cronJobSchema.safeParse(given);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Failure('usage', `${issue?.path.join('.') ?? 'The job'}: ${issue?.message ?? 'is not valid.'}`, {
    hint: 'See: coppice cron add --help',
  });
}

export interface KnownJob {
  readonly job: CronJob;
  /** Jobs of the configuration are changed there. */
  readonly from: 'config' | 'command';
}

/** Every job: those of the configuration, and those added by command whose name is not taken there. */
export async function knownJobs(config: Config, store: SessionStore): Promise<readonly KnownJob[]> {
  const configured = Object.entries(config.cron.jobs).map(
    ([name, spec]): KnownJob => ({ job: cronJob(name, spec), from: 'config' }),
  );
  const added = [...(await store.cron.jobs())]
    .filter(([name]) => !Object.hasOwn(config.cron.jobs, name))
    // Checked when it was added.
    .map(([name, spec]): KnownJob => ({ job: cronJob(name, JSON.parse(spec) as CronJobSpec), from: 'command' }));
  return [...configured, ...added];
}

/** The job that a spec describes. Refuses a name or a schedule that cannot be. */
export function cronJob(name: string, spec: CronJobSpec): CronJob {
  if (!/^[\w-]{1,64}$/.test(name)) {
    throw new Failure('usage', `"${name}" cannot be the name of a job.`, {
      hint: 'Use letters, digits, - and _, at most 64 of them.',
    });
  }
  if (spec.command.length === 0) throw new Failure('usage', `The job ${name} has no command.`);
  const job: CronJob = {
    name,
    schedule: spec.schedule,
    timeZone: spec.time_zone,
    command: spec.command,
    ...(spec.workdir !== undefined && { workdir: spec.workdir }),
    missed: spec.missed,
    overlap: spec.overlap,
    ...(spec.max_minutes !== 'never' && { maxMinutes: spec.max_minutes }),
    deliver: spec.deliver.flatMap(targetsOf),
  };
  scheduleOf(job);
  return job;
}

function targetsOf({ file, webhook, command }: CronJobSpec['deliver'][number]): DeliveryTarget[] {
  return [
    ...(file === undefined ? [] : [{ kind: 'file' as const, path: file }]),
    ...(webhook === undefined ? [] : [{ kind: 'webhook' as const, url: webhook }]),
    ...(command === undefined ? [] : [{ kind: 'command' as const, command }]),
  ];
}
