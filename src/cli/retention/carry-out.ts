import type { App } from '../../app/app.ts';
import { amountOf } from '../../app/documents/plan-document.ts';
import { type CarriedRun, carriedDocument } from '../../app/documents/run-document.ts';
import type { AppliedRun, ApplyOptions } from '../../app/retention.ts';
import { FAILURES, Failure, INTERRUPTED } from '../../core/failure.ts';
import { goesForGood, isRemoval, type Plan } from '../../core/plan.ts';
import type { Outcome, Run } from '../../core/run.ts';
import type { CommandInput } from '../command.ts';
import { formatDate } from '../format.ts';
import { hintCommand } from '../hint-command.ts';
import type { Io } from '../io.ts';
import { writeJson } from '../json-output.ts';
import { startProgress } from '../progress.ts';
import { safeText } from '../safe-text.ts';
import { doneLines, skippedLines } from './outcome-lines.ts';
import { archivesOnly } from './print-plan.ts';
import { shortfallSentence } from './shortfall-sentence.ts';
import { spaceLine } from './space-line.ts';
import { whyTheyStay } from './why-they-stay.ts';

export const NOTHING_DONE: CarriedRun = { outcomes: [], freedBytes: 0, interrupted: false };

/** Applies a plan with progress on stderr. Ctrl-C stops it between groups, which is an answer and not a failure. */
export async function carryOut(io: Io, home: App, plan: Plan): Promise<CarriedRun> {
  const total = plan.decisions.filter(isRemoval).length;
  const work = (options: ApplyOptions) => home.apply(plan, options);
  const carried = await watch(io, { label: archivesOnly(plan) ? 'Archiving' : 'Removing', total }, work);
  if (!carried.interrupted || carried.outcomes.length === 0) return carried;
  // The run of an application that did something and did not return is the newest one.
  for await (const run of (await home.retention()).runs()) return { ...carried, run };
  return carried;
}

/** Collects what an application or an undo tells, until it ends or is interrupted. */
export async function watch(
  io: Io,
  { label, total }: { readonly label: string; readonly total: number },
  work: (options: ApplyOptions) => Promise<AppliedRun>,
): Promise<CarriedRun> {
  using progress = startProgress(io, { label, total });
  const outcomes: Outcome[] = [];
  let bytes = 0;
  const onOutcome = (outcome: Outcome) => {
    outcomes.push(outcome);
    progress.update({ done: outcomes.length, bytes: (bytes += outcome.sizeBytes) });
  };
  try {
    const { run, freedBytes } = await work({ signal: io.signal, onOutcome });
    return { run, outcomes, freedBytes, interrupted: false };
  } catch (error) {
    if (!io.signal.aborted || error instanceof Failure) throw error;
    return { outcomes, freedBytes: 0, interrupted: true };
  }
}

export interface Report {
  readonly plan: Plan;
  /** How to go on after Ctrl-C. */
  readonly goOn: string;
  /** Its trash was emptied at once. */
  readonly purged?: boolean;
  /** Nobody saw the plan, so the report says what it shows: why checkpoints stay, and which limit is out of reach. */
  readonly unseen?: boolean;
}

/** Says what a run did and how to undo it, and returns the exit code. */
export function reportRun({ io, global }: CommandInput<object>, carried: CarriedRun, report: Report): number {
  const { plan, goOn, purged = false, unseen = false } = report;
  const { outcomes, run, freedBytes } = carried;
  const undoable = purged ? [] : canComeBack(plan, outcomes);
  const waitingBytes = amountOf(undoable, ({ action }) => action !== 'archive').sizeBytes;
  if (global.json) writeJson(io.out, { ...carriedDocument(carried), purged, waitingBytes });
  else {
    const done = doneLines(outcomes);
    const canUndo = run !== undefined && undoable.length > 0;
    const lines = [
      ...(done.length === 0 ? [`Nothing was ${plan.request.kind === 'archive' ? 'archived' : 'removed'}.`] : done),
      ...(purged && done.length > 0 ? ['This cannot be undone.'] : []),
      ...skippedLines(outcomes),
      ...(outcomes.length === 0 || plan.request.kind === 'clear-checkpoints' ? whyTheyStay(plan, { unseen }) : []),
      ...(unseen ? plan.shortfalls.map((shortfall) => safeText(shortfallSentence(shortfall))) : []),
      ...spaceLine(freedBytes, waitingBytes),
      ...(canUndo ? [`${undoWords(run, outcomes)}: ${hintCommand(global, 'undo', run.id)}`] : []),
    ];
    io.out.write(`${lines.join('\n')}\n`);
    if (carried.interrupted) io.err.write(`Stopped. What is left was not touched. ${goOn}\n`);
  }
  return exitCodeOf(carried, plan);
}

/** The archive keeps what it has; the trash does not. */
function undoWords({ expiresAt }: Run, outcomes: readonly Outcome[]): string {
  const archived = outcomes.every(({ action, status }) => action === 'archive' || status === 'skipped');
  return archived ? 'Undo with' : `Undo until ${formatDate(expiresAt)}`;
}

export function exitCodeOf({ outcomes, interrupted }: CarriedRun, plan?: Plan): number {
  if (interrupted) return INTERRUPTED;
  if (outcomes.some(({ status }) => status === 'skipped')) return FAILURES.partial.exit;
  return plan !== undefined && plan.shortfalls.length > 0 ? FAILURES['cap-unreachable'].exit : 0;
}

/** What was removed or archived and can be given back. */
function canComeBack({ decisions }: Plan, outcomes: readonly Outcome[]): readonly Outcome[] {
  const forGood = new Set(decisions.filter(goesForGood).map(({ item }) => `${item.kind} ${item.id}`));
  return outcomes.filter(({ item, status }) => status === 'done' && !forGood.has(`${item.kind} ${item.id}`));
}
