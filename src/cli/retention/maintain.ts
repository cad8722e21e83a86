import { maintenanceDocument } from '../../app/documents/status-document.ts';
import type { BackgroundReport } from '../../app/home.ts';
import { FAILURES } from '../../core/failure.ts';
import type { CommandInput } from '../command.ts';
import type { MaintainOptions } from '../command-options.ts';
import { formatBytes, formatTime, plural } from '../format.ts';
import { hintCommand } from '../hint-command.ts';
import { writeJson } from '../json-output.ts';
import { emptiedLines } from '../trash/emptied-lines.ts';
import { withAppToClear } from '../with-app.ts';
import { spaceLine } from './space-line.ts';
import { waitingLines } from './waiting-lines.ts';

/** `coppice maintain`: one pass under the guard, as a host program would run it. `--auto` obeys the settings and the interval. */
export function run(input: CommandInput<MaintainOptions>): Promise<number> {
  const { io, global, options } = input;
  return withAppToClear(input, async (home) => {
    const report =
      options.auto === true
        ? await home.maintainInBackground({ signal: io.signal })
        : await (await home.retention()).maintain({ signal: io.signal, now: true, allow: options.allow ?? false });
    if (global.json) writeJson(io.out, maintenanceDocument(report));
    else io.out.write(`${[...sentences(input, report), ...checkpointLines(input, report)].join('\n')}\n`);
    return exitCode(report);
  });
}

function sentences(input: CommandInput<MaintainOptions>, report: BackgroundReport): string[] {
  switch (report.status) {
    case 'off':
      return [
        ...emptiedLines(report.emptied),
        'Unattended maintenance of sessions is off. Switch it on with sessions.auto_prune: true in config.yaml.',
      ];
    case 'not-due':
      return [...emptiedLines(report.emptied), `Nothing is due until ${formatTime(report.nextAt)}.`];
    case 'busy':
      return [
        'Another process is changing this home, so nothing was done.',
        `Wait until it is done, then try again. What was done shows: ${hintCommand(input.global, 'runs', 'list')}`,
      ];
    case 'failed':
      return [`Maintenance could not be done: ${report.error}`];
    case 'done':
      return passSentences(input, report);
    default:
      return report satisfies never;
  }
}

/** Nothing is said of checkpoints that are within their limits. */
function checkpointLines({ global }: CommandInput<MaintainOptions>, report: BackgroundReport): string[] {
  const checkpoints = 'checkpoints' in report ? report.checkpoints : undefined;
  if (checkpoints?.status === 'failed') return [`Checkpoints could not be looked after: ${checkpoints.error}`];
  if (checkpoints?.status !== 'done') return [];
  const { removed, freedBytes, runId, held } = checkpoints;
  return [
    ...(removed > 0 ? [`Removed ${plural(removed, 'checkpoint')} beyond their limits.`] : []),
    ...(held === true ? ['Checkpoints beyond their limits stay: they are held, too.'] : []),
    ...(freedBytes > 0 ? [`Checkpoints gave ${formatBytes(freedBytes)} back.`] : []),
    ...(runId === undefined ? [] : [`Undo what went into the trash with: ${hintCommand(global, 'undo', runId)}`]),
  ];
}

function passSentences(
  { global }: CommandInput<MaintainOptions>,
  report: Extract<BackgroundReport, { status: 'done' }>,
): string[] {
  return [
    ...(report.archived === undefined ? [] : [`Archived ${plural(report.archived, 'session')}.`]),
    ...removedLines(report),
    ...spaceLine(report.freedBytes, 0),
    ...(report.closed > 0 ? [`Closed ${plural(report.closed, 'session')} that nobody had ended.`] : []),
    ...(report.skipped > 0 ? [`${plural(report.skipped, 'item')} could not be removed.`] : []),
    ...(report.runId === undefined ? [] : [`Undo with: ${hintCommand(global, 'undo', report.runId)}`]),
    ...(report.notes ?? []),
    ...(report.waiting === undefined ? [] : waitingLines(global, report.waiting)),
  ];
}

function removedLines({ removed, emptied = 0, forGood = 0 }: Extract<BackgroundReport, { status: 'done' }>): string[] {
  if (removed === 0) return ['Nothing was removed.'];
  return [
    ...(removed > emptied ? [`Removed ${plural(removed - emptied, 'item')}.`] : []),
    ...(emptied > 0 ? [`Emptied the trash of ${plural(emptied, 'earlier run')}.`] : []),
    ...(forGood > 0 ? [`${plural(forGood, 'item')} of these went FOR GOOD and cannot be undone.`] : []),
  ];
}

function exitCode(report: BackgroundReport): number {
  if (report.status === 'failed') return FAILURES.failed.exit;
  if (report.status === 'busy') return FAILURES.locked.exit;
  return report.status === 'done' && report.skipped > 0 ? FAILURES.partial.exit : 0;
}
