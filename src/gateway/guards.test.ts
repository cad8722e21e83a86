import { describe, expect, it } from 'vitest';
import { NOW } from '../../test/support/clock.ts';
import { GUARD_NAMES, OK } from '../core/gateway.ts';
import { MINUTE_MS } from '../core/time.ts';
import { afterEvent, type GuardEvent, type GuardRules, guardVerdict, NOTHING_GUARDED } from './guards.ts';

const RULES: GuardRules = {
  'tool-errors': { nudge: 3, warn: 6, stop: 9 },
  'same-tool': { nudge: 15, stop: 30 },
  'repeated-calls': { nudge: 3, warn: 5, stop: 8 },
  'messages-per-minute': { warn: 80, stop: 100 },
  'tokens-per-minute': { warn: 800, stop: 1000 },
  'bytes-per-minute': { warn: 8000, stop: 10_000 },
};

const after = (events: readonly GuardEvent[], rules = RULES, now = NOW) =>
  guardVerdict(events.reduce(afterEvent, NOTHING_GUARDED), rules, now);
const times = (count: number, event: GuardEvent) => Array.from({ length: count }, () => event);
const call = (name: string, args?: number): GuardEvent => {
  return { kind: 'call', name, ...(args !== undefined && { args: { n: args } }) };
};

describe('the guards', () => {
  it('have nothing to say about a session in which nothing happened', () => {
    expect(after([])).toBe(OK);
  });

  it.each([
    [2, 'ok'],
    [3, 'nudge'],
    [6, 'warn'],
    [9, 'stop'],
    [40, 'stop'],
  ] as const)('answer %i tool errors in a row with %s', (count, kind) => {
    // Different tools, so that only the errors count.
    const errors = Array.from({ length: count }, (_, index): GuardEvent => {
      return { kind: 'result', name: `tool-${index % 2}`, ok: false };
    });
    expect(after(errors).kind).toBe(kind);
  });

  it.each([
    [14, 'ok'],
    [15, 'nudge'],
    [29, 'nudge'],
    [30, 'stop'],
  ] as const)('answer %i calls of one tool with %s', (count, kind) => {
    const calls = Array.from({ length: count }, (_, index) => call('read', index));
    expect(after(calls).kind).toBe(kind);
    expect(after([...calls, call('write', 1)])).toBe(OK);
  });

  it('see one tool in results alone', () => {
    expect(after(times(15, { kind: 'result', name: 'read', ok: true })).kind).toBe('nudge');
    // Announced calls are not counted again when their results come.
    const pairs = Array.from({ length: 14 }, (_, n) => [
      call('read', n),
      { kind: 'result', name: 'read', ok: true } as const,
    ]);
    expect(after(pairs.flat())).toBe(OK);
  });

  it('count a call once, also when its result comes after later calls', () => {
    const calls = Array.from({ length: 14 }, (_, n) => call('read', n));
    const results = times(14, { kind: 'result', name: 'read', ok: true });
    expect(after([...calls, ...results])).toBe(OK);
  });

  it.each([
    [2, 'ok'],
    [3, 'nudge'],
    [5, 'warn'],
    [8, 'stop'],
  ] as const)('answer %i identical calls in a row with %s', (count, kind) => {
    expect(after(times(count, call('read', 1))).kind).toBe(kind);
    expect(after([...times(count, call('read', 1)), call('read', 2)])).toBe(OK);
  });

  it('take calls for different whose arguments are not known, and tools for different with the same arguments', () => {
    expect(after(times(8, call('read')))).toBe(OK);
    expect(after([call('a', 1), call('b', 1), call('a', 1), call('b', 1), call('a', 1)])).toBe(OK);
  });

  it.each(['messages', 'tokens', 'bytes'] as const)('stop a runaway flow of %s, for as long as it lasts', (flow) => {
    const limit = RULES[`${flow}-per-minute`].stop ?? 0;
    const events: GuardEvent[] = [{ kind: 'flow', at: NOW, amounts: { [flow]: limit } }];
    expect(after(events)).toMatchObject({ kind: 'stop', causes: [{ rule: `${flow}-per-minute`, used: limit, limit }] });
    expect(after(events, RULES, NOW + MINUTE_MS)).toBe(OK);
  });

  it('give the strictest verdict and every cause', () => {
    const events = [...times(3, call('read', 1)), ...times(9, { kind: 'result', name: 'read', ok: false } as const)];
    const verdict = after(events);
    expect(verdict.kind).toBe('stop');
    expect(verdict.causes.map(({ rule }) => rule)).toContain('tool-errors');
    expect(verdict.say).toMatch(/^The last 9 tool calls failed\. Stop here and tell the user why\./);
  });

  it('are silent where a step is switched off', () => {
    const never = Object.fromEntries(GUARD_NAMES.map((name) => [name, {}])) as GuardRules;
    expect(after([...times(100, call('read', 1)), { kind: 'flow', at: NOW, amounts: { tokens: 1e9 } }], never)).toBe(
      OK,
    );
  });
});
