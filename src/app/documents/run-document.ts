import { losesWayBack } from '../../core/retention/plan.ts';
import type { Outcome, Run, RunItem, RunItemState } from '../../core/retention/run.ts';
import { isoTime } from '../../core/time.ts';
import { requestDocument } from './plan-document.ts';

/** A run as programs see it. */
export function runDocument({ id, request, startedAt, finishedAt, expiresAt }: Run) {
  return {
    id,
    request: requestDocument(request),
    startedAt: isoTime(startedAt),
    ...(finishedAt !== undefined && { finishedAt: isoTime(finishedAt) }),
    expiresAt: isoTime(expiresAt),
  };
}

/** What a run did, or meant to do, to one item. */
export function runItemDocument(given: RunItem) {
  const { number, item, action, reason, sizeBytes, state, detail, title } = given;
  return {
    number,
    ...item,
    action,
    reason,
    sizeBytes,
    state,
    ...(state !== 'skipped' && losesWayBack(given) && { forGood: true as const }),
    ...(detail !== undefined && { detail }),
    ...(title !== undefined && { title }),
  };
}

/** What became of one item just now. */
export function outcomeDocument({ item, action, status, detail, sizeBytes, forGood }: Outcome) {
  return { ...item, action, status, ...(detail !== undefined && { detail }), sizeBytes, ...(forGood && { forGood }) };
}

/** What an application or an undo came to. */
export interface CarriedRun {
  /** Absent when it was interrupted before it began. */
  readonly run?: Run;
  readonly outcomes: readonly Outcome[];
  readonly freedBytes: number;
  /** Ctrl-C came first; what was not reached was not touched. */
  readonly interrupted: boolean;
}

export function carriedDocument({ run, outcomes, freedBytes, interrupted }: CarriedRun) {
  const done = outcomes.filter(({ status }) => status === 'done').length;
  return {
    ...(run !== undefined && { run: runDocument(run) }),
    done,
    skipped: outcomes.length - done,
    freedBytes,
    interrupted,
    items: outcomes.map(outcomeDocument),
  };
}

/** A run with how many of its items are in which state. */
export async function runTotalsDocument(run: Run, items: AsyncIterable<RunItem>) {
  const totals: Partial<Record<RunItemState, { items: number; sizeBytes: number }>> = {};
  for await (const { state, sizeBytes } of items) {
    const sum = totals[state] ?? { items: 0, sizeBytes: 0 };
    totals[state] = { items: sum.items + 1, sizeBytes: sum.sizeBytes + sizeBytes };
  }
  return { ...runDocument(run), totals };
}
