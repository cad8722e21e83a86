import { GUARD_NAMES, GUARDS, type GuardName, guardSetting } from '../../core/gateway/guards.ts';
import { COUNTERS, type Counter, counted, LIMITS, SIZE_COUNTERS, SPENT_COUNTERS } from '../../core/gateway/limits.ts';
import { HOUR_MS, MINUTE_MS } from '../../core/time.ts';
import type { SpendRule } from '../../gateway/spend/check-spend.ts';
import type { ResetRules } from '../../gateway/decide-reset.ts';
import type { GuardRules, Ladder } from '../../gateway/guards.ts';
import type { LiveRules } from '../../gateway/live-state.ts';
import type { Prices, TokenPrices } from '../../gateway/spend/price-usage.ts';
import { type ZoneOffset, zoneOffset } from '../../gateway/zone-offset.ts';
import { resetConfigFor } from '../config/config-for-source.ts';
import type { Config } from '../config/config-schema.ts';
import { PRICE_TABLE } from '../config/price-table.ts';

const NANO = 1e9;

export interface GatewayRules {
  readonly reset: ResetRules;
  readonly live: LiveRules;
  /** The time zone in which the days of budgets begin. */
  readonly budgetOffsetAt: ZoneOffset;
}

/** The configured rules for live sessions of one source. Make them once for each: time zones are slow to look up. */
export function gatewayRules(config: Config, source: string): GatewayRules {
  return {
    reset: resetRules(config, source),
    live: {
      spend: spendRules(config, source),
      guards: guardRules(config),
      prices: pricesOf(config),
      alertPercents: config.budgets.alert_at,
    },
    budgetOffsetAt: zoneOffset(config.budgets.time_zone),
  };
}

function resetRules(config: Config, source: string): ResetRules {
  const given = resetConfigFor(config, source);
  const { limits } = config;
  return {
    mode: given.mode,
    idleMs: given.idle_minutes * MINUTE_MS,
    daily: { atHour: given.at_hour, offsetAt: zoneOffset(given.time_zone) },
    maxBackgroundMs: given.max_background_hours * HOUR_MS,
    maxMessages: counted('messages', limits.messages),
    maxBytes: counted('bytes', limits.mb),
  };
}

/** Every limit that is a number. Growing too large starts a conversation afresh; using too much does what was chosen. */
function spendRules({ limits, budgets }: Config, source: string): readonly SpendRule[] {
  const { session, day, model, on_breach: onBreach } = budgets;
  const wanted: readonly LimitGroup[] = [
    { scope: 'session', onBreach: 'reset', amounts: amountsOf(SIZE_COUNTERS, limits) },
    { scope: 'session', onBreach, amounts: amountsOf(SPENT_COUNTERS, session) },
    { scope: 'day', onBreach, amounts: amountsOf(SPENT_COUNTERS, day) },
    { scope: 'source', onBreach, amounts: amountsOf(SPENT_COUNTERS, ownOf(budgets.source, source)) },
    ...Object.entries(model).map(([key, given]) => {
      return { scope: 'model' as const, key, onBreach, amounts: amountsOf(SPENT_COUNTERS, given) };
    }),
  ];
  return wanted.flatMap(({ scope, key, onBreach: kind, amounts }) =>
    COUNTERS.flatMap((counter) => {
      const most = amounts[counter];
      if (most === undefined) return [];
      // Fields written out, not spread: all rules then have one shape, and each step is judged by all of them.
      return [{ scope, key, counter, limit: most, warnAt: (most * limits.warn_percent) / 100, onBreach: kind }];
    }),
  );
}

type LimitGroup = Omit<SpendRule, 'counter' | 'limit' | 'warnAt'> & {
  readonly amounts: { readonly [C in Counter]?: number | undefined };
};

/** What a group of settings says of these, as it is counted. */
function amountsOf(
  counters: readonly Counter[],
  given: { readonly [unit: string]: number | 'never' | undefined },
): LimitGroup['amounts'] {
  return Object.fromEntries(counters.map((counter) => [counter, counted(counter, given[LIMITS[counter].unit])]));
}

function guardRules({ guards, limits }: Config): GuardRules {
  const ladderOf = (name: GuardName): Ladder => {
    const guard = GUARDS[name];
    const given = guards[guardSetting(name)];
    if (typeof given === 'object')
      return { nudge: limit(given.nudge), warn: limit(given.warn), stop: limit(given.stop) };
    const most = guard.kind === 'rate' ? counted(guard.of, given) : limit(given);
    return most === undefined ? {} : { warn: Math.ceil((most * limits.warn_percent) / 100), stop: most };
  };
  return Object.fromEntries(GUARD_NAMES.map((name) => [name, ladderOf(name)])) as Record<GuardName, Ladder>;
}

/** What models cost: the table that ships with the program, and what is set in its place. */
export function pricesOf({ prices }: Pick<Config, 'prices'>): Prices {
  return new Map(
    Object.entries<ListedPrice>({ ...PRICE_TABLE.models, ...prices }).map(([model, { long, ...given }]) => {
      const price = tokenPrices(given);
      return [
        model,
        long === undefined ? price : { ...price, long: { ...tokenPrices(long), aboveTokens: long.above } },
      ];
    }),
  );
}

type GivenPrice = Config['prices'][string];
type ListedPrice = GivenPrice & { readonly long?: GivenPrice & { readonly above: number } };

function tokenPrices(given: GivenPrice): TokenPrices {
  const { input = 0, output = 0, cache_read: read = input, cache_write: write = input, reasoning = output } = given;
  const price = { input: nano(input), output: nano(output), cacheRead: nano(read), cacheWrite: nano(write) };
  return { ...price, reasoning: nano(reasoning) };
}

function nano(usd: number): number {
  return Math.round(usd * NANO);
}

/** What is set for one name. A source may be called `constructor`; only what the user wrote counts. */
function ownOf<Value extends object>(settings: Readonly<Record<string, Value>>, name: string): Partial<Value> {
  return (Object.hasOwn(settings, name) ? settings[name] : undefined) ?? {};
}

function limit(given: number | 'never'): number | undefined {
  return given === 'never' ? undefined : given;
}
