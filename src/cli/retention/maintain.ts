import { maintenanceDocument } from '../../app/documents/status-document.ts';
import type { BackgroundReport } from '../../app/home.ts';
import { FAILURES } from '../../core/failure.ts';
import type { GuardReason } from '../../core/plan.ts';
import type { CommandInput } from '../command.ts';
import type { MaintainOptions } from '../command-options.ts';
import { formatCount, formatTime, plural } from '../format.ts';
import { hintCommand } from '../hint-command.ts';
import { writeJson } from '../json-output.ts';
import { withAppToClear } from '../with-app.ts';
import { spaceLine } from './space-line.ts';

/** `coppice maintain`: one pass under the guard, as a host program would run it. `--auto` obeys the settings and the interval. */
export function run(input: CommandInput<MaintainOptions>): Promise<number> {
  const { io, global, options } = input;
  return withAppToClear(input, async (home) => {
    const report =
      options.auto === true
        ? await home.maintainInBackground({ signal: io.signal })
        : await (await home.retention()).maintain({ signal: io.signal, now: true });
    if (global.json) writeJson(io.out, maintenanceDocument(report));
    else io.out.write(`${sentences(input, report).join('\n')}\n`);
    return exitCode(report);
  });
}

function sentences(input: CommandInput<MaintainOptions>, report: BackgroundReport): string[] {
  switch (report.status) {
    case 'off':
      return ['Unattended maintenance is off. Switch it on with sessions.auto_prune: true in config.yaml.'];
    case 'not-due':
      return [`Nothing is due until ${formatTime(report.nextAt)}.`];
    case 'busy':
      return [
        'Another process is changing this home, so nothing was done.',
        `Wait until it is done, then try again. What was done shows: ${hintCommand(input.global, 'runs', 'list')}`,
      ];
    case 'failed':
      return [`Maintenance could not be done: ${report.error}`];
    case 'done':
    case 'announced':
      return passSentences(input, report);
    default:
      return report satisfies never;
  }
}

function passSentences(
  { global }: CommandInput<MaintainOptions>,
  report: Extract<BackgroundReport, { status: 'done' | 'announced' }>,
): string[] {
  const lines = [
    ...(report.archived === undefined ? [] : [`Archived ${plural(report.archived, 'session')}.`]),
    report.removed === 0 ? 'Nothing was removed.' : `Removed ${plural(report.removed, 'item')}.`,
    ...spaceLine(report.freedBytes, 0),
    ...(report.closed > 0 ? [`Closed ${plural(report.closed, 'session')} that nobody had ended.`] : []),
    ...(report.skipped > 0 ? [`${plural(report.skipped, 'item')} could not be removed.`] : []),
    ...(report.runId === undefined ? [] : [`Undo with: ${hintCommand(global, 'undo', report.runId)}`]),
  ];
  if (report.status === 'done') return lines;
  return [
    `${plural(report.held, 'item')} would go, but a person should look first:`,
    ...report.reasons.map((reason) => `  ${reasonSentence(reason)}`),
    `Look with: ${hintCommand(global, 'plan')}`,
    ...lines,
  ];
}

function reasonSentence(reason: GuardReason): string {
  switch (reason.kind) {
    case 'first-run':
      return 'It is the first pass over this home. The next one acts.';
    case 'stricter-policy':
      return `The rules became stricter: ${plural(reason.count, 'item')} would go that stayed before. The next pass acts.`;
    case 'too-many':
      return `${formatCount(reason.count)} ${reason.of} are more than the guard allows at once (${formatCount(reason.limit)}).`;
    case 'empties-group':
      return `Nothing would be left of ${reason.source}${reason.workdir === undefined ? '' : ` in ${reason.workdir}`}.`;
    default:
      return reason satisfies never;
  }
}

function exitCode(report: BackgroundReport): number {
  if (report.status === 'failed') return FAILURES.failed.exit;
  if (report.status === 'busy') return FAILURES.locked.exit;
  if (report.status === 'announced') return FAILURES.refused.exit;
  return report.status === 'done' && report.skipped > 0 ? FAILURES.partial.exit : 0;
}
