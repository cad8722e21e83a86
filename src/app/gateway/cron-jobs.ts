import type { z } from 'zod';
import { Failure } from '../../core/failure.ts';
import type { GatewayBooks } from '../../core/gateway/gateway-books.ts';
import type { EpochMs } from '../../core/time.ts';
import type { CronJob, DeliveryTarget } from '../../gateway/cron/cron-job.ts';
import type { Config } from '../config/config-schema.ts';
import type { cronJobsSchema } from '../config/cron-schema.ts';

/** A job as it is written down, in the configuration or by command. */
export type CronJobSpec = Config['cron']['jobs'][string];

/** What a caller says of a job: whatever is left out has its default. */
export type NewCronJob = z.input<typeof cronJobsSchema>[string];

/** Fills in the defaults, or says what is wrong with the name or the job. */
export async function checkedSpec(name: string, given: NewCronJob): Promise<CronJobSpec> {
  // Loaded here: only who adds a job needs the parser.
  const { cronJobsSchema } = await import('../config/cron-schema.ts');
  const { data, error } = cronJobsSchema.safeParse({ [name]: given }, { reportInput: true });
  const spec = data?.[name];
  if (spec !== undefined) return spec;
  const [issue] = error?.issues ?? [];
  const said = issue?.code === 'invalid_key' ? issue.issues[0]?.message : issue?.message;
  const key = issue?.path.slice(1).join('.') ?? '';
  throw new Failure('usage', `${key === '' ? '' : `${key}: `}${said ?? 'The job is not valid.'}`, {
    hint: 'See: coppice cron add --help',
  });
}

export interface KnownJob {
  readonly job: CronJob;
  /** Jobs of the configuration are changed there. */
  readonly from: 'config' | 'command';
}

/** Every job: those of the configuration, and those added by command whose name is not taken there. */
export async function knownJobs(config: Config, store: Pick<GatewayBooks, 'cron'>): Promise<readonly KnownJob[]> {
  const configured = Object.entries(config.cron.jobs).map(
    ([name, spec]): KnownJob => ({ job: cronJob(name, spec), from: 'config' }),
  );
  const added = [...(await store.cron.jobs())]
    .filter(([name]) => !Object.hasOwn(config.cron.jobs, name))
    .map(([name, text]): KnownJob => ({ job: addedJob(name, text), from: 'command' }));
  return [...configured, ...added];
}

/** How a job is written down that was added by command. */
export function addedJobText(spec: CronJobSpec, addedAt: EpochMs): string {
  return JSON.stringify({ ...spec, addedAt });
}

function addedJob(name: string, text: string): CronJob {
  // Checked when it was added. Jobs of before it was written down have no time.
  const { addedAt, ...spec } = JSON.parse(text) as CronJobSpec & { readonly addedAt?: EpochMs };
  return { ...cronJob(name, spec), ...(addedAt !== undefined && { addedAt }) };
}

/** The job that a checked spec describes. */
export function cronJob(name: string, spec: CronJobSpec): CronJob {
  return {
    name,
    schedule: spec.schedule,
    timeZone: spec.time_zone,
    command: spec.command,
    ...(spec.workdir !== undefined && { workdir: spec.workdir }),
    missed: spec.missed,
    overlap: spec.overlap,
    ...(spec.max_minutes !== 'never' && { maxMinutes: spec.max_minutes }),
    deliver: spec.deliver.flatMap((target) => targetsOf(target, spec.workdir)),
  };
}

/** Where one entry of `deliver` leads. */
export function targetsOf(
  { file, webhook, command }: CronJobSpec['deliver'][number],
  workdir?: string,
): DeliveryTarget[] {
  return [
    ...(file === undefined ? [] : [{ kind: 'file' as const, path: file }]),
    ...(webhook === undefined ? [] : [{ kind: 'webhook' as const, url: webhook }]),
    ...(command === undefined
      ? []
      : [{ kind: 'command' as const, command, ...(workdir !== undefined && { workdir }) }]),
  ];
}
