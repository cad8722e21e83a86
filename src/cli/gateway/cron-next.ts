import { isoTime } from '../../core/time.ts';
import type { CommandInput } from '../command.ts';
import { formatTime } from '../print/format.ts';
import { writeJson } from '../print/json-output.ts';
import { withAppToLook } from '../with-app.ts';
import type { CronNextOptions } from './options.ts';

const SHOWN = 5;

/** `coppice cron next NAME` */
export function run(input: CommandInput<CronNextOptions>): Promise<number> {
  const { args, options, io, global } = input;
  const name = args[0] ?? '';
  return withAppToLook(input, async (home) => {
    const times = await (await home.scheduler()).next(name, options.count ?? SHOWN);
    if (global.json) writeJson(io.out, { job: name, times: times.map(isoTime) });
    else io.out.write(times.map((at) => `${formatTime(at)}\n`).join('') || 'It never comes again.\n');
    return 0;
  });
}
