import { checkUsage } from '../../core/sessions/check-session.ts';
import type { UsageReport } from '../../core/sessions/session.ts';

/**
 * What an agent says it used. A delta is what was added; one with an `id` counts once, however often it arrives. A cumulative
 * report is a running total, and `of` names the counter it was read from.
 */
export type UsageEvent = UsageReport &
  (
    | { readonly kind?: 'delta'; readonly id?: string }
    | {
        readonly kind: 'cumulative';
        readonly of: string;
        /** Grows from report to report. Needed where one counter may start again from zero. */
        readonly seq?: number;
      }
  );

/** What a report added, in whole numbers. `nanoUsd` is absent when the agent does not know the cost. */
export interface UsageDelta extends Readonly<Record<TokenField, number>> {
  readonly model: string;
  readonly nanoUsd?: number;
}

export interface UsageMeter {
  /** What this report adds to all that was reported before; zeros when it adds nothing. */
  take(event: UsageEvent): UsageDelta;
}

/** More counters and ids than this are not remembered at once; the oldest go first. */
const MEMORY = 1000;

/**
 * Turns reports into what each added, so that nothing is counted twice. Without `seq`, a total lower than one seen before is a
 * late report and adds nothing. With `seq`, an older report adds nothing, and a newer one that is lower starts from zero.
 */
export function createUsageMeter(): UsageMeter {
  const seenIds = new Map<string, true>();
  const totals = new Map<string, Total>();

  const takeDelta = (id: string | undefined, amounts: UsageAmounts): UsageAmounts => {
    if (id === undefined) return amounts;
    const seen = seenIds.has(id);
    remember(seenIds, id, true);
    return seen ? nothing(amounts) : amounts;
  };
  const takeTotal = (name: string, total: Total): UsageAmounts => {
    const last = totals.get(name);
    const late = last?.seq !== undefined && total.seq !== undefined && total.seq <= last.seq;
    if (late) return nothing(total.amounts);
    const restarted =
      total.seq !== undefined && fields(total.amounts).some(([field, value]) => value < of(last, field));
    const base = restarted ? undefined : last;
    const added = map(total.amounts, (field, value) => Math.max(0, value - of(base, field)));
    const highest = map(total.amounts, (field, value) => Math.max(value, of(base, field)));
    remember(totals, name, { ...total, amounts: { ...base?.amounts, ...highest } });
    return added;
  };

  return {
    take(event) {
      const { model } = event;
      const amounts = amountsOf(event);
      const added =
        event.kind === 'cumulative'
          ? takeTotal(JSON.stringify([event.of, model]), {
              amounts,
              ...(event.seq !== undefined && { seq: event.seq }),
            })
          : takeDelta(event.id, amounts);
      return { model, ...NO_TOKENS, ...added };
    },
  };
}

const NO_TOKENS = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };
type TokenField = keyof typeof NO_TOKENS;

type UsageField = TokenField | 'nanoUsd';
type UsageAmounts = Partial<Record<UsageField, number>>;

interface Total {
  readonly amounts: UsageAmounts;
  readonly seq?: number;
}

/** The numbers of a report, checked; what it leaves out is left out. */
function amountsOf(event: UsageEvent): UsageAmounts {
  const { model, inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens, costUsd } = event;
  const tokens = { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens };
  const given = Object.fromEntries(Object.entries(tokens).filter(([, value]) => value !== undefined));
  checkUsage({ model, ...given, ...(costUsd !== undefined && { costUsd }) });
  return { ...given, ...(costUsd !== undefined && { nanoUsd: Math.round(costUsd * 1e9) }) };
}

function nothing(amounts: UsageAmounts): UsageAmounts {
  return map(amounts, () => 0);
}

function map(amounts: UsageAmounts, change: (field: UsageField, value: number) => number): UsageAmounts {
  return Object.fromEntries(fields(amounts).map(([field, value]) => [field, change(field, value)]));
}

function fields(amounts: UsageAmounts): readonly (readonly [UsageField, number])[] {
  return Object.entries(amounts) as [UsageField, number][];
}

function of(total: Total | undefined, field: UsageField): number {
  return total?.amounts[field] ?? 0;
}

function remember<Value>(memory: Map<string, Value>, name: string, value: Value): void {
  memory.delete(name);
  memory.set(name, value);
  const [oldest] = memory.keys();
  if (memory.size > MEMORY && oldest !== undefined) memory.delete(oldest);
}
