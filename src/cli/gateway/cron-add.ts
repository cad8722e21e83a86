import { resolve } from 'node:path';
import type { NewCronJob } from '../../app/gateway/cron-jobs.ts';
import type { CommandInput } from '../command.ts';
import { formatTime } from '../print/format.ts';
import { writeJson } from '../print/json-output.ts';
import { withHome } from '../with-home.ts';
import type { CronAddOptions } from './options.ts';

/** `coppice cron add NAME --schedule CRON -- COMMAND…` */
export function run(input: CommandInput<CronAddOptions>): Promise<number> {
  const { args, options, io, global } = input;
  const [name = '', ...command] = args;
  const { schedule, timeZone, workdir, missed, overlap, maxMinutes } = options;
  return withHome(input, async (home) => {
    const scheduler = await home.scheduler();
    const job = await scheduler.add(name, {
      schedule,
      command,
      ...(timeZone !== undefined && { time_zone: timeZone }),
      workdir: resolve(io.cwd, workdir ?? '.'),
      ...(missed !== undefined && { missed }),
      ...(overlap !== undefined && { overlap }),
      ...(maxMinutes !== undefined && { max_minutes: maxMinutes }),
      deliver: targetsOf(options, io.cwd),
    });
    const [nextAt] = await scheduler.next(name, 1);
    if (global.json) writeJson(io.out, job);
    else
      io.out.write(
        `Added ${job.name}. It runs next at ${nextAt === undefined ? 'no time' : formatTime(nextAt)}, while coppice serve is running.\n`,
      );
    return 0;
  });
}

/** Paths are meant from where the command was typed. A command is a line, as for a shell. */
function targetsOf({ toFile, toWebhook: webhook, toCommand }: CronAddOptions, cwd: string): NewCronJob['deliver'] {
  return [
    ...(toFile === undefined ? [] : [{ file: resolve(cwd, toFile) }]),
    ...(webhook === undefined ? [] : [{ webhook }]),
    ...(toCommand === undefined ? [] : [{ command: ['sh', '-c', toCommand] }]),
  ];
}
