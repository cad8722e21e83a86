import { COUNTERS, type Counter } from '../../core/gateway/gateway.ts';
import { HOUR_MS, MINUTE_MS } from '../../core/time.ts';
import type { SpendRule } from '../../gateway/check-spend.ts';
import type { ResetRules } from '../../gateway/decide-reset.ts';
import type { GuardRules, Ladder } from '../../gateway/guards.ts';
import type { LiveRules } from '../../gateway/live-state.ts';
import type { Prices } from '../../gateway/price-usage.ts';
import { type ZoneOffset, zoneOffset } from '../../gateway/zone-offset.ts';
import { resetConfigFor } from '../config/config-for-source.ts';
import type { Config } from '../config/config-schema.ts';
import { PRICE_TABLE } from '../config/price-table.ts';

const MB = 1024 * 1024;
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
    maxMessages: limit(limits.messages),
    maxBytes: limit(limits.mb, MB),
  };
}

/** Every limit that is a number. Growing too large starts a conversation afresh; using too much does what was chosen. */
function spendRules({ limits, budgets }: Config, source: string): readonly SpendRule[] {
  const { session, day, model, on_breach: onBreach } = budgets;
  const size = { messages: limit(limits.messages), bytes: limit(limits.mb, MB) };
  const steps = { iterations: limit(session.iterations), wallMs: limit(session.minutes, MINUTE_MS) };
  const wanted: readonly LimitGroup[] = [
    { scope: 'session', onBreach: 'reset', amounts: size },
    { scope: 'session', onBreach, amounts: { ...spending(session), ...steps } },
    { scope: 'day', onBreach, amounts: spending(day) },
    { scope: 'source', onBreach, amounts: spending(ownOf(budgets.source, source)) },
    ...Object.entries(model).map(([key, given]) => {
      return { scope: 'model' as const, key, onBreach, amounts: spending(given) };
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
  readonly amounts: Partial<Readonly<Record<Counter, number | undefined>>>;
};

function spending({ tokens = 'never', usd = 'never' }: { readonly tokens?: Given; readonly usd?: Given }) {
  return { tokens: limit(tokens), nanoUsd: limit(usd, NANO) };
}

function guardRules({ guards, limits }: Config): GuardRules {
  const rate = (most: number | undefined): Ladder =>
    most === undefined ? {} : { warn: Math.ceil((most * limits.warn_percent) / 100), stop: most };
  return {
    'tool-errors': ladder(guards.tool_errors),
    'same-tool': ladder(guards.same_tool),
    'repeated-calls': ladder(guards.repeated_calls),
    'messages-per-minute': rate(limit(guards.messages_per_minute)),
    'tokens-per-minute': rate(limit(guards.tokens_per_minute)),
    'tokens-per-hour': rate(limit(guards.tokens_per_hour)),
    'bytes-per-minute': rate(limit(guards.mb_per_minute, MB)),
  };
}

function ladder({ nudge, warn, stop }: Config['guards']['tool_errors']): Ladder {
  return { nudge: limit(nudge), warn: limit(warn), stop: limit(stop) };
}

function pricesOf({ prices }: Config): Prices {
  return new Map(
    Object.entries<GivenPrice>({ ...PRICE_TABLE.models, ...prices }).map(([model, given]) => {
      const { input = 0, output = 0, cache_read: read = input, cache_write: write = input, reasoning = output } = given;
      const price = { input: nano(input), output: nano(output), cacheRead: nano(read), cacheWrite: nano(write) };
      return [model, { ...price, reasoning: nano(reasoning) }];
    }),
  );
}

type GivenPrice = Config['prices'][string];

function nano(usd: number): number {
  return Math.round(usd * NANO);
}

/** What is set for one name. A source may be called `constructor`; only what the user wrote counts. */
function ownOf<Value extends object>(settings: Readonly<Record<string, Value>>, name: string): Partial<Value> {
  return (Object.hasOwn(settings, name) ? settings[name] : undefined) ?? {};
}

type Given = number | 'never';

function limit(given: Given, unit = 1): number | undefined {
  return given === 'never' ? undefined : given * unit;
}
