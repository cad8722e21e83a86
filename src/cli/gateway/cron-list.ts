import { jobDocument, type ListedJob, listJobs } from '../../app/documents/gateway-document.ts';
import { shellWord } from '../../core/shell-word.ts';
import type { CommandInput } from '../command.ts';
import type { NoOptions } from '../command-options.ts';
import { formatAge, formatTime } from '../print/format.ts';
import { forSamePlace, hintCommand, type Place } from '../hint-command.ts';
import { writeJson } from '../print/json-output.ts';
import { renderTable } from '../print/table.ts';
import { withAppToLook } from '../with-app.ts';

/** `coppice cron list` */
export function run(input: CommandInput<NoOptions>): Promise<number> {
  const { io, global } = input;
  return withAppToLook(input, async (home) => {
    const jobs = await listJobs(await home.scheduler());
    if (global.json) {
      writeJson(io.out, { jobs: jobs.map(jobDocument) });
    } else if (jobs.length === 0) {
      io.out.write(forSamePlace(global, NO_JOBS));
    } else {
      const titles = ['NAME', 'SCHEDULE', 'NEXT', 'LAST', 'TO', 'FROM', 'COMMAND'];
      const columns = titles.map((title) => ({ title, shrink: title === 'COMMAND' }));
      const rows = jobs.map((job) => row(job, io.clock.now()));
      io.out.write(renderTable({ columns, rows, width: io.out.columns, colour: io.out.colour }));
      io.err.write(`
${whoRuns(global)}
`);
    }
    return 0;
  });
}

const NO_JOBS = 'There are no jobs.\nAdd one with: coppice cron add NAME --schedule "0 7 * * *" -- COMMAND\n';

/** Where a daemon answers, it is running. */
function whoRuns(place: Place): string {
  if (place.remote !== undefined) return 'The daemon that answered runs them, as long as it is running.';
  return `Jobs run only while this is running: ${hintCommand(place, 'serve')}`;
}

function row({ job, from, nextAt, last }: ListedJob, now: number): string[] {
  const schedule = job.timeZone === 'UTC' ? job.schedule : `${job.schedule} (${job.timeZone})`;
  const before = last === undefined ? 'never' : `${last.outcome ?? 'running'}, ${formatAge(last.startedAt, now)}`;
  const next = nextAt === undefined ? 'never' : formatTime(nextAt);
  const to = job.deliver.map(({ kind }) => kind).join(', ');
  return [job.name, schedule, next, before, to || 'nowhere', from, job.command.map(shellWord).join(' ')];
}
