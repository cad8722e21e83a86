import { describe, expect, it } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../core/time.ts';
import { DEFAULT_CONFIG } from '../config/config-defaults.ts';
import { configSchema } from '../config/config-schema.ts';
import { gatewayRules } from './gateway-rules.ts';

const MB = 1024 * 1024;
const rulesOf = (config: object, source = 'cli') => gatewayRules(configSchema.parse(config), source);

describe('gatewayRules', () => {
  it('bounds size and guards, and nothing else, for someone who configured nothing', () => {
    const { reset, live } = gatewayRules(DEFAULT_CONFIG, 'cli');
    expect(reset).toMatchObject({ mode: 'none', idleMs: 24 * HOUR_MS, maxMessages: 1000, maxBytes: 10 * MB });
    expect(reset.maxBackgroundMs).toBe(24 * HOUR_MS);
    expect(live.spend).toEqual([
      { scope: 'session', counter: 'messages', limit: 1000, warnAt: 800, onBreach: 'reset' },
      { scope: 'session', counter: 'bytes', limit: 10 * MB, warnAt: 8 * MB, onBreach: 'reset' },
    ]);
    expect(live.guards).toMatchObject({
      'tool-errors': { nudge: 3, warn: 6, stop: 9 },
      'same-tool': { nudge: 15, warn: 30, stop: undefined },
      'repeated-calls': { nudge: 3, warn: 5, stop: undefined },
      'messages-per-minute': { warn: 240, stop: 300 },
      'bytes-per-minute': { warn: 16 * MB, stop: 20 * MB },
    });
    expect(live.alertPercents).toEqual([50, 80, 100]);
    expect(live.prices.get('claude-haiku-5-5')).toMatchObject({
      input: 0.1e9,
      output: 0.5e9,
      cacheRead: 0.01e9,
      cacheWrite: 0.125e9,
      long: { aboveTokens: 100_000, input: 0.5e9, output: 2.5e9, reasoning: 2.5e9 },
    });
    expect(live.prices.get('claude-sonnet-4-5')).toMatchObject({ input: 3e9, output: 15e9, cacheRead: 0.3e9 });
  });

  it('turns every budget into a rule, in whole units', () => {
    const budgets = {
      session: { tokens: 10, usd: 0.5, iterations: 20, minutes: 30 },
      day: { usd: 2 },
      source: { cron: { tokens: 100 }, cli: { tokens: 200 } },
      model: { large: { usd: 1 } },
      on_breach: 'warn',
    };
    const { spend } = rulesOf({ budgets, limits: { messages: 'never', mb: 'never', warn_percent: 50 } }, 'cron').live;
    const rule = { onBreach: 'warn' };
    expect(spend).toEqual([
      { ...rule, scope: 'session', counter: 'tokens', limit: 10, warnAt: 5 },
      { ...rule, scope: 'session', counter: 'nanoUsd', limit: 5e8, warnAt: 2.5e8 },
      { ...rule, scope: 'session', counter: 'iterations', limit: 20, warnAt: 10 },
      { ...rule, scope: 'session', counter: 'wallMs', limit: 30 * MINUTE_MS, warnAt: 15 * MINUTE_MS },
      { ...rule, scope: 'day', counter: 'nanoUsd', limit: 2e9, warnAt: 1e9 },
      { ...rule, scope: 'source', counter: 'tokens', limit: 100, warnAt: 50 },
      { ...rule, scope: 'model', key: 'large', counter: 'nanoUsd', limit: 1e9, warnAt: 5e8 },
    ]);
    expect(rulesOf({ budgets }, 'constructor').live.spend.some(({ scope }) => scope === 'source')).toBe(false);
  });

  it('lays what a source says about resets over the general settings', () => {
    const session_reset = {
      mode: 'idle',
      at_hour: 3,
      by_source: { telegram: { mode: 'daily', max_background_hours: 1 } },
    };
    expect(rulesOf({ session_reset }, 'telegram').reset).toMatchObject({
      mode: 'daily',
      daily: { atHour: 3 },
      maxBackgroundMs: HOUR_MS,
    });
    expect(rulesOf({ session_reset }).reset).toMatchObject({ mode: 'idle', maxBackgroundMs: 24 * HOUR_MS });
  });

  it('keeps the time zone of resets and that of budgets apart', () => {
    const rules = rulesOf({ session_reset: { time_zone: 'Asia/Kolkata' }, budgets: { time_zone: 'Asia/Tokyo' } });
    expect(rules.reset.daily.offsetAt(0)).toBe(5.5 * HOUR_MS);
    expect(rules.budgetOffsetAt(0)).toBe(9 * HOUR_MS);
  });

  it('fills in prices that are left out: caches cost as input, reasoning as output, and the rest nothing', () => {
    const { prices } = rulesOf({
      prices: { a: { input: 3, output: 15, cache_read: 0 }, b: { cache_write: 0.0025 } },
    }).live;
    expect(prices.get('a')).toEqual({ input: 3e9, output: 15e9, cacheRead: 0, cacheWrite: 3e9, reasoning: 15e9 });
    expect(prices.get('b')).toEqual({ input: 0, output: 0, cacheRead: 0, cacheWrite: 2_500_000, reasoning: 0 });
  });
});
