import { MINUTE_MS } from '../time.ts';

/** How an amount is counted, set and written. */
export const FORMS = {
  count: { range: 'count', size: 1 },
  tokens: { range: 'count', size: 1 },
  bytes: { range: 'mb', size: 1024 * 1024 },
  // In billionths of a dollar, so that whole numbers add up exactly.
  usd: { range: 'usd', size: 1e9 },
  time: { range: 'minutes', size: MINUTE_MS },
} as const;
export type Form = keyof typeof FORMS;

interface LimitFacts {
  readonly form: Form;
  /** What settings, options, end reasons and documents call it: they all use this unit. */
  readonly unit: string;
  /** What it is counted in, in words. */
  readonly noun: string;
  /** What one session may have of it: `limits.UNIT` or `budgets.session.UNIT` of the configuration. */
  readonly session: { readonly default: number | 'never'; readonly about: string };
}

/** How large a session grows, which its store knows. */
interface SizeLimit extends LimitFacts {
  readonly of: 'size';
}

/** What is spent, which a book counts for all processes. */
interface SpentLimit extends LimitFacts {
  readonly of: 'spent';
  /** The title of its column. */
  readonly title: string;
  /** What a source, a model or everything together may use of it in one day; absent where days do not count it. */
  readonly day?: { readonly about: string; readonly ofAll: string };
  /** What `coppice run --max-UNIT` says; absent where a run has no limit of its own. */
  readonly run?: string;
}

/**
 * Everything that a live session is limited in, each said once. The counters, the schema of the configuration and its defaults, the rules, the
 * options of a run, the words of verdicts, end reasons, documents and tables are made of this.
 */
export const LIMITS = {
  messages: {
    of: 'size',
    form: 'count',
    unit: 'messages',
    noun: 'messages',
    session: {
      default: 1000,
      about: 'Start a conversation afresh after this many messages. What an agent prints is no message.',
    },
  },
  bytes: {
    of: 'size',
    form: 'bytes',
    unit: 'mb',
    noun: 'bytes',
    session: {
      default: 10,
      about: 'Start a conversation afresh when it takes this many megabytes, as coppice sessions list shows its size.',
    },
  },
  tokens: {
    of: 'spent',
    form: 'tokens',
    unit: 'tokens',
    noun: 'tokens',
    title: 'TOKENS',
    session: { default: 'never', about: 'Tokens one session may use.' },
    day: { about: 'Tokens it may use in one day.', ofAll: 'Tokens all sessions may use in one day.' },
    run: 'stop after this many tokens',
  },
  nanoUsd: {
    of: 'spent',
    form: 'usd',
    unit: 'usd',
    noun: 'dollars',
    title: 'COST',
    session: { default: 'never', about: 'US dollars one session may cost.' },
    day: { about: 'US dollars it may cost in one day.', ofAll: 'US dollars all sessions may cost in one day.' },
    run: 'stop after this many US dollars',
  },
  iterations: {
    of: 'spent',
    form: 'count',
    unit: 'iterations',
    noun: 'steps',
    title: 'STEPS',
    session: { default: 'never', about: 'Steps one session may take.' },
    run: 'stop after this many steps',
  },
  wallMs: {
    of: 'spent',
    form: 'time',
    unit: 'minutes',
    noun: 'minutes',
    title: 'TIME',
    session: { default: 'never', about: 'Minutes one session may run.' },
    run: 'stop after this many minutes',
  },
} as const satisfies Readonly<Record<string, SizeLimit | SpentLimit>>;

export type Counter = keyof typeof LIMITS;
/** The counters whose limit has this. */
export type CounterWith<Facts> = { [C in Counter]: (typeof LIMITS)[C] extends Facts ? C : never }[Counter];
export type SpentCounter = CounterWith<{ readonly of: 'spent' }>;
export type SizeCounter = CounterWith<{ readonly of: 'size' }>;
/** What days count as well. */
export type DayCounter = CounterWith<{ readonly day: object }>;
export type RunCounter = CounterWith<{ readonly run: string }>;
export type Unit<C extends Counter> = (typeof LIMITS)[C]['unit'];

export const COUNTERS = Object.keys(LIMITS) as readonly Counter[];
export const SPENT_COUNTERS = COUNTERS.filter((counter) => !isOfSize(counter)) as readonly SpentCounter[];
export const SIZE_COUNTERS = COUNTERS.filter(isOfSize);
export const DAY_COUNTERS = COUNTERS.filter((counter) => 'day' in LIMITS[counter]) as readonly DayCounter[];
export const RUN_COUNTERS = COUNTERS.filter((counter) => 'run' in LIMITS[counter]) as readonly RunCounter[];

export function isOfSize(counter: Counter): counter is SizeCounter {
  return LIMITS[counter].of === 'size';
}

export type SpentUnit = Unit<SpentCounter>;
export const SPENT_UNITS = SPENT_COUNTERS.map((counter) => LIMITS[counter].unit);

/** What is counted in a unit that a document names. */
export function spentCounterOf(unit: SpentUnit): SpentCounter {
  return SPENT_COUNTERS[SPENT_UNITS.indexOf(unit)] ?? 'tokens';
}

/** How many of a counter one of its unit is. */
export function unitSize(counter: Counter): number {
  return FORMS[LIMITS[counter].form].size;
}

/** A value for each of what is spent, in order. Asked for with every row of totals, so it is a plain loop. */
export function ofEachSpent<Value>(
  valueOf: (counter: SpentCounter, index: number) => Value,
): Record<SpentCounter, Value> {
  const values: Partial<Record<SpentCounter, Value>> = {};
  for (const [index, counter] of SPENT_COUNTERS.entries()) values[counter] = valueOf(counter, index);
  return values as Record<SpentCounter, Value>;
}

/** An amount in the unit of its setting as it is counted. `never` and what is absent are no limit. */
export function counted(counter: Counter, amount: number | 'never' | undefined): number | undefined {
  if (amount === undefined || amount === 'never') return undefined;
  return LIMITS[counter].form === 'usd' ? Math.round(amount * unitSize(counter)) : amount * unitSize(counter);
}

/** Limits that a run brings along, such as `maxTokens`. */
export type RunLimits = { readonly [C in RunCounter as RunLimitName<C>]?: number };
export type RunLimitName<C extends RunCounter> = `max${Capitalize<Joined<Unit<C>>>}`;
/** `tool_calls` as a name in code: `toolCalls`. */
type Joined<Words extends string> = Words extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<Joined<Rest>>}`
  : Words;

export function runLimitName<C extends RunCounter>(counter: C): RunLimitName<C> {
  const words = LIMITS[counter].unit.split('_').map((word) => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`);
  return `max${words.join('')}` as RunLimitName<C>;
}

/** How the option of a run is written. */
export function runOption(counter: RunCounter): string {
  return `--max-${LIMITS[counter].unit.replaceAll('_', '-')}`;
}
