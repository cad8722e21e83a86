import { type Decision, isRemoval, needsConsent, type Plan } from '../../core/retention/plan.ts';
import type { RunRequest } from '../../core/retention/run.ts';
import { type EpochMs, isoTime } from '../../core/time.ts';
import { planId } from '../retention/plan-id.ts';
import type { Timed } from './timed.ts';

/** A plan as it is printed for programs, saved and read back: ISO times, its id, and totals. */
export function planDocument(plan: Plan) {
  const { home, madeAt, request, decisions, notes, shortfalls, onlyShown } = plan;
  return {
    id: planId(plan),
    home,
    madeAt: isoTime(madeAt),
    request: requestDocument(request),
    notes,
    shortfalls,
    ...(onlyShown && { onlyShown }),
    totals: planTotals(plan),
    decisions: decisions.some(needsConsent) ? decisions.map(marked) : decisions,
  };
}

function marked(decision: Decision): Decision & { readonly forGood?: true } {
  return needsConsent(decision) ? { ...decision, forGood: true } : decision;
}

type RequestDocument<Request> = Request extends unknown ? Timed<Request, keyof Request & ('before' | 'after')> : never;

export function requestDocument<Request extends RunRequest>(request: Request): RequestDocument<Request> {
  const { before, after, ...rest }: RunRequest & { readonly before?: EpochMs; readonly after?: EpochMs } = request;
  return {
    ...rest,
    ...(before !== undefined && { before: isoTime(before) }),
    ...(after !== undefined && { after: isoTime(after) }),
  } as RequestDocument<Request>;
}

export interface Amount {
  readonly items: number;
  readonly sizeBytes: number;
}

export interface PlanTotals {
  readonly keep: Amount;
  readonly go: Amount;
  /** Of `go`, what would skip the trash or leave it early, which is to be agreed to apart. */
  readonly forGood: Amount;
}

/** What a plan amounts to. */
export function planTotals({ decisions }: Pick<Plan, 'decisions'>): PlanTotals {
  return {
    keep: amountOf(decisions, ({ action }) => action === 'keep'),
    go: amountOf(decisions, isRemoval),
    forGood: amountOf(decisions, needsConsent),
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
