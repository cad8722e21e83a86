import type { App } from '../../app/app.ts';
import { type Amount, amountOf, planTotals } from '../../app/documents/plan-document.ts';
import { type CarriedRun, carriedDocument } from '../../app/documents/run-document.ts';
import type { AppliedRun, ApplyOptions } from '../../app/retention/retention.ts';
import { FAILURES, Failure, INTERRUPTED } from '../../core/failure.ts';
import { isRemoval, type Plan } from '../../core/retention/plan.ts';
import type { Outcome, Run } from '../../core/retention/run.ts';
import type { CommandInput, GlobalOptions } from '../command.ts';
import { formatBytes, formatDate, plural } from '../print/format.ts';
import { forSamePlace, hintCommand } from '../hint-command.ts';
import type { Io } from '../io.ts';
import { writeJson } from '../print/json-output.ts';
import { startProgress } from '../print/progress.ts';
import { safeText } from '../print/safe-text.ts';
import type { Agreed } from './confirm-plan.ts';
import { doneLines, skippedLines } from './outcome-lines.ts';
import { archivesOnly } from './print-plan.ts';
import { shortfallSentence } from '../../core/retention/shortfall-sentence.ts';
import { spaceLine } from './space-line.ts';
import { whyTheyStay } from './why-they-stay.ts';

export const NOTHING_DONE: CarriedRun = { outcomes: [], freedBytes: 0, interrupted: false };

/** Applies a plan with progress on stderr. Ctrl-C stops it between groups, which is an answer and not a failure. */
export async function carryOut(
  io: Io,
  home: App,
  { plan, agreed }: { readonly plan: Plan; readonly agreed?: Agreed },
): Promise<CarriedRun> {
  const total = plan.decisions.filter(isRemoval).length;
  const work = (options: ApplyOptions) => home.apply(plan, { ...options, ...agreed });
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
  /** What was agreed to; nothing for good when absent. */
  readonly agreed?: Agreed;
  /** Nobody saw the plan, so the report says what it shows: its notes, and why checkpoints stay. */
  readonly unseen?: boolean;
}

/** Says what a run did and how to undo it, and returns the exit code. */
export function reportRun({ io, global }: CommandInput<object>, carried: CarriedRun, report: Report): number {
  const { plan, goOn, purged = false, unseen = false, agreed } = report;
  const { outcomes, run, freedBytes } = carried;
  const undoable = purged ? [] : canComeBack(outcomes);
  const spared = agreed?.forGood === true ? NOTHING : planTotals(plan).forGood;
  const waitingBytes = amountOf(undoable, ({ action }) => action !== 'archive').sizeBytes;
  if (global.json) writeJson(io.out, { ...carriedDocument(carried), purged, waitingBytes });
  else {
    const done = doneLines(outcomes);
    const canUndo = run !== undefined && undoable.length > 0;
    const lines = [
      ...(done.length === 0 ? [`Nothing was ${plan.request.kind === 'archive' ? 'archived' : 'removed'}.`] : done),
      ...(purged && done.length > 0 ? ['This cannot be undone.'] : []),
      ...skippedLines(outcomes),
      ...(outcomes.length === 0 || plan.request.kind === 'clear-checkpoints'
        ? whyTheyStay(plan, { unseen }).map((line) => forSamePlace(global, line))
        : []),
      ...(unseen ? plan.notes.map((note) => forSamePlace(global, safeText(note))) : []),
      ...plan.shortfalls.map((shortfall) => safeText(shortfallSentence(shortfall))),
      ...(spared.items > 0 ? [sparedSentence(spared, global, run)] : []),
      ...spaceLine(freedBytes, waitingBytes),
      ...lateSpace(global, outcomes, freedBytes),
      ...(canUndo ? [`${undoWords(run, outcomes, undoable)}: ${hintCommand(global, 'undo', run.id)}`] : []),
    ];
    io.out.write(`${lines.join('\n')}\n`);
    if (carried.interrupted) io.err.write(`Stopped. What is left was not touched. ${goOn}\n`);
  }
  const code = exitCodeOf(carried, plan);
  return code === 0 && spared.items > 0 ? FAILURES['cap-unreachable'].exit : code;
}

const NOTHING: Amount = { items: 0, sizeBytes: 0 };

/** The limit is not held yet, because nobody agreed to lose the way back. */
function sparedSentence({ items, sizeBytes }: Amount, global: GlobalOptions, run: Run | undefined): string {
  const now = run === undefined ? '' : ` To free it now: ${hintCommand(global, 'trash', 'empty', run.id)}`;
  return `${plural(items, 'item')} (${formatBytes(sizeBytes)}) did not go for good, because --for-good was not given: what is in the trash counts against the size limit until it is emptied.${now}`;
}

/** Another agent may be at work in its store, and until it has rested for a while, nothing in there is given back. */
function lateSpace(global: GlobalOptions, outcomes: readonly Outcome[], freedBytes: number): string[] {
  const gone = outcomes.filter(({ item, forGood }) => item.kind === 'checkpoint' && forGood === true);
  const goneBytes = gone.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  if (freedBytes >= goneBytes * MOST) return [];
  const again = hintCommand(global, 'checkpoints', 'prune');
  return [`The rest comes back once no checkpoint was taken for ten minutes, with the next pass or with: ${again}`];
}

/** Sizes of checkpoints are estimates, because git packs what they share. */
const MOST = 0.5;

/** The archive keeps what it has; the trash does not. Beside what went for good it is said how much an undo brings back. */
function undoWords({ expiresAt }: Run, outcomes: readonly Outcome[], undoable: readonly Outcome[]): string {
  const archived = undoable.every(({ action }) => action === 'archive');
  const lost = outcomes.some(({ status, forGood }) => status === 'done' && forGood === true);
  const what = lost ? `Undo of the other ${plural(undoable.length, 'item')}` : 'Undo';
  return archived ? `${what} with` : `${what} until ${formatDate(expiresAt)}`;
}

export function exitCodeOf({ outcomes, interrupted }: CarriedRun, plan?: Plan): number {
  if (interrupted) return INTERRUPTED;
  if (outcomes.some(({ status }) => status === 'skipped')) return FAILURES.partial.exit;
  return plan !== undefined && plan.shortfalls.length > 0 ? FAILURES['cap-unreachable'].exit : 0;
}

/** What was removed or archived and can be given back. */
function canComeBack(outcomes: readonly Outcome[]): readonly Outcome[] {
  return outcomes.filter(({ status, action, forGood }) => status === 'done' && action !== 'purge' && forGood !== true);
}
