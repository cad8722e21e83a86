import { HOUR_MS, MINUTE_MS } from '../time.ts';
import { type Counter, LIMITS, type Unit } from './limits.ts';

type Step = number | 'never';

/** Something that comes again and again. It has a step for each thing that may be said of it. */
interface StreakGuard {
  readonly kind: 'streak';
  readonly about: string;
  readonly ladder: { readonly nudge: Step; readonly warn: Step; readonly stop: Step };
}

/** How much of something comes within a time. */
interface RateGuard {
  readonly kind: 'rate';
  readonly of: Counter;
  readonly perMs: number;
  readonly about: string;
  /** In the unit of its setting. */
  readonly stop: Step;
}

/** Everything that tells a session that it goes round in circles or runs away, by the name that verdicts and end reasons use. */
export const GUARDS = {
  'tool-errors': {
    kind: 'streak',
    about: 'Tool calls that failed in a row.',
    ladder: { nudge: 3, warn: 6, stop: 9 },
  },
  'same-tool': {
    kind: 'streak',
    about: 'Calls of one tool, with no other in between.',
    ladder: { nudge: 15, warn: 30, stop: 'never' },
  },
  'repeated-calls': {
    kind: 'streak',
    about: 'Calls in a row with the same arguments.',
    ladder: { nudge: 3, warn: 5, stop: 'never' },
  },
  'messages-per-minute': {
    kind: 'rate',
    of: 'messages',
    perMs: MINUTE_MS,
    about: 'Stop a session that takes this many messages within a minute.',
    stop: 300,
  },
  'tokens-per-minute': {
    kind: 'rate',
    of: 'tokens',
    perMs: MINUTE_MS,
    about: 'Stop a session that uses this many tokens within a minute; those read from a cache count a tenth.',
    stop: 2_000_000,
  },
  'tokens-per-hour': {
    kind: 'rate',
    of: 'tokens',
    perMs: HOUR_MS,
    about: 'Stop a session that uses this many tokens within an hour; those read from a cache count a tenth.',
    stop: 8_000_000,
  },
  'bytes-per-minute': {
    kind: 'rate',
    of: 'bytes',
    perMs: MINUTE_MS,
    about: 'Stop a session that grows by this many megabytes within a minute.',
    stop: 20,
  },
} as const satisfies Readonly<Record<string, StreakGuard | RateGuard>>;

export type GuardName = keyof typeof GUARDS;
export type StreakName = { [N in GuardName]: (typeof GUARDS)[N]['kind'] extends 'streak' ? N : never }[GuardName];
export type RateName = Exclude<GuardName, StreakName>;
/** What rates are of. */
export type Flow = (typeof GUARDS)[RateName]['of'];

export const GUARD_NAMES = Object.keys(GUARDS) as readonly GuardName[];
export const RATE_NAMES = GUARD_NAMES.filter(isRate);

export function isGuard(name: string): name is GuardName {
  return Object.hasOwn(GUARDS, name);
}

export function isRate(name: GuardName): name is RateName {
  return GUARDS[name].kind === 'rate';
}

/** What a guard is called in the configuration: by the unit in which it is set. */
export type GuardSetting<N extends GuardName> = N extends `${infer C extends Counter}-${infer Rest}`
  ? `${Unit<C>}_${Underscored<Rest>}`
  : Underscored<N>;
type Underscored<Name extends string> = Name extends `${infer Head}-${infer Rest}`
  ? `${Head}_${Underscored<Rest>}`
  : Name;

export function guardSetting<N extends GuardName>(name: N): GuardSetting<N> {
  return guardUnit(name).replaceAll('-', '_') as GuardSetting<N>;
}

/** The same in an end reason. */
export function guardUnit(name: GuardName): string {
  const guard = GUARDS[name];
  return guard.kind === 'rate' ? name.replace(guard.of, LIMITS[guard.of].unit) : name;
}
