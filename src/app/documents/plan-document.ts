import { type Decision, goesForGood, isRemoval, type Plan } from '../../core/plan.ts';
import type { RunRequest } from '../../core/run.ts';
import { isoTime } from '../../core/time.ts';
import { planId } from '../plan-id.ts';

/** A plan as it is printed for programs, saved and read back: ISO times, its id, and totals. */
export function planDocument(plan: Plan) {
  const { home, madeAt, request, decisions, notes, shortfalls } = plan;
  return {
    id: planId(plan),
    home,
    madeAt: isoTime(madeAt),
    request: requestDocument(request),
    notes,
    shortfalls,
    totals: planTotals(plan),
    decisions,
  };
}

export function requestDocument(request: RunRequest) {
  if (!('before' in request) || request.before === undefined) return request;
  return { ...request, before: isoTime(request.before) };
}

export interface Amount {
  readonly items: number;
  readonly sizeBytes: number;
}

export interface PlanTotals {
  readonly keep: Amount;
  readonly go: Amount;
  /** What goes for good in the same run; the rest of `go` waits in the trash first. */
  readonly forGood: Amount;
}

/** What a plan amounts to. */
export function planTotals({ decisions }: Pick<Plan, 'decisions'>): PlanTotals {
  return {
    keep: amountOf(decisions, ({ action }) => action === 'keep'),
    go: amountOf(decisions, isRemoval),
    forGood: amountOf(decisions, goesForGood),
  };
}

/** How many there are, or how many of them fit, and what they take. */
export function amountOf<T extends Pick<Decision, 'sizeBytes'>>(all: readonly T[], fits?: (one: T) => boolean): Amount {
  let [items, sizeBytes] = [0, 0];
  for (const one of all) {
    if (fits?.(one) === false) continue;
    items += 1;
    sizeBytes += one.sizeBytes;
  }
  return { items, sizeBytes };
}
