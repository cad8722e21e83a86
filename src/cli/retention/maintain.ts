import type { App } from '../../app/app.ts';
import { maintenanceDocument } from '../../app/documents/status-document.ts';
import type { BackgroundReport } from '../../app/maintenance/background-report.ts';
import type { OtherPass } from '../../app/machine/maintain-others.ts';
import { FAILURES } from '../../core/failure.ts';
import type { CommandInput } from '../command.ts';
import type { MaintainOptions } from '../command-options.ts';
import { formatBytes, formatTime, plural } from '../print/format.ts';
import { hintCommand } from '../hint-command.ts';
import { homeFields, inHome, writeHeading } from '../homes/in-home.ts';
import { WALL_CLOCK } from '../io.ts';
import { writeJson } from '../print/json-output.ts';
import { printFailure } from '../print-failure.ts';
import { emptiedLines } from '../trash/emptied-lines.ts';
import { withAppToClear } from '../with-app.ts';
import { spaceLine } from './space-line.ts';
import { waitingLines } from './waiting-lines.ts';

/** `coppice maintain`: one pass under the guard, as a host program would run it. `--auto` obeys the settings and the interval. */
export function run(input: CommandInput<MaintainOptions>): Promise<number> {
  const { io, global, options } = input;
  return withAppToClear(input, async (home) => {
    const report =
      options.auto === true ? await home.maintainInBackground({ signal: io.signal }) : await byHand(input, home);
    const others = options.auto === true ? await passOverOthers(input, home) : [];
    if (global.json) {
      const documents = others.map(otherDocument);
      writeJson(io.out, { ...maintenanceDocument(report), ...(documents.length > 0 && { others: documents }) });
    } else {
      io.out.write(`${linesOf(input, report).join('\n')}\n`);
      for (const other of others) printOther(input, other);
    }
    return exitCode(report) || Math.max(0, ...others.map(otherCode));
  });
}

async function byHand({ io, options }: CommandInput<MaintainOptions>, home: App): Promise<BackgroundReport> {
  const { signal } = io;
  const rescue = await (await home.outlook?.())?.rescue({ signal });
  const report = await (await home.retention()).maintain({ signal, now: true, allow: options.allow ?? false });
  return rescue === undefined ? report : { ...report, rescue };
}

/** `--auto` obeys settings, so it obeys those of every home where none is named. */
async function passOverOthers({ io, global }: CommandInput<MaintainOptions>, home: App): Promise<readonly OtherPass[]> {
  if (global.home !== undefined || global.remote !== undefined) return [];
  const { maintainOthers } = await import('../../app/machine/maintain-others.ts');
  const passes: OtherPass[] = [];
  const rescue = home.config.homes?.rescue ?? false;
  const clock = io.clock === WALL_CLOCK ? {} : { clock: io.clock };
  for await (const pass of maintainOthers({ env: io.env, except: home.path, rescue, signal: io.signal, ...clock }))
    passes.push(pass);
  return passes;
}

function otherDocument(pass: OtherPass) {
  const home = homeFields(pass.known);
  if ('report' in pass) return { ...home, document: maintenanceDocument(pass.report) };
  const { code, message, hint } = pass.failure;
  return { ...home, error: { code, message, hint } };
}

function printOther(input: CommandInput<MaintainOptions>, pass: OtherPass): void {
  const { io } = input;
  const there = inHome(input, pass.known);
  if ('failure' in pass) {
    printFailure(io, pass.failure, there.global);
    return;
  }
  io.out.write('\n');
  writeHeading(io.out, pass.known);
  io.out.write(`${linesOf(there, pass.report).join('\n')}\n`);
}

function otherCode(pass: OtherPass): number {
  return 'failure' in pass ? FAILURES.partial.exit : exitCode(pass.report);
}

function linesOf(input: CommandInput<MaintainOptions>, report: BackgroundReport): string[] {
  return [...rescueLines(input, report), ...sentences(input, report), ...checkpointLines(input, report)];
}

function rescueLines({ global }: CommandInput<MaintainOptions>, report: BackgroundReport): string[] {
  if (!('rescue' in report) || report.rescue === undefined) return [];
  const { archived, left, runId } = report.rescue;
  return [
    ...(archived > 0 ? [`Archived ${plural(archived, 'session')} that its agent was about to delete.`] : []),
    ...(left > 0 ? [`${plural(left, 'session')} that its agent is about to delete could not be archived.`] : []),
    ...(runId === undefined ? [] : [`Undo with: ${hintCommand(global, 'undo', runId)}`]),
  ];
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
