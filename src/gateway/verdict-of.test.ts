import { describe, expect, it } from 'vitest';
import type { Scope } from '../core/gateway/gateway.ts';
import { GUARD_NAMES } from '../core/gateway/guards.ts';
import { COUNTERS } from '../core/gateway/limits.ts';
import { verdictOf } from './verdict-of.ts';

describe('verdictOf', () => {
  it.each([
    ['tokens', 'day', 812_345, 1_000_000, 'All sessions together have today used 812,345 tokens of 1,000,000 tokens.'],
    ['nanoUsd', 'model', 1_250_000_000, 5e9, 'This model has today used $1.25 of $5.00.'],
    ['bytes', 'session', 8_388_608, 10_485_760, 'This session has used 8.0 MB of 10.0 MB.'],
    ['iterations', 'session', 40, 50, 'This session has used 40 steps of 50 steps.'],
    ['wallMs', 'session', 90_000, 600_000, 'This session has used 1.5 minutes of 10.0 minutes.'],
    ['nanoUsd', 'session', 8e6, 1e7, 'This session has used $0.0080 of $0.0100.'],
    ['wallMs', 'session', 2400, 3000, 'This session has used 2.4 seconds of 3.0 seconds.'],
    ['messages', 'source', 3, 4, 'The sessions of this source have today used 3 messages of 4 messages.'],
    [
      'messages-per-minute',
      'session',
      337,
      300,
      'This session took 337 messages within a minute, and 300 is too fast.',
    ],
  ] as const)('says what happened: %s', (rule, scope, used, limit, fact) => {
    const { say, causes } = verdictOf('warn', { rule, scope, used, limit });
    expect(say).toBe(`${fact} Finish what matters most, or ask the user how to go on.`);
    expect(causes).toEqual([{ rule, scope, used, limit }]);
  });

  it('has two plain sentences for every rule, scope and kind', () => {
    const scopes: readonly Scope[] = ['session', 'source', 'day', 'model'];
    for (const rule of [...COUNTERS, ...GUARD_NAMES]) {
      for (const scope of scopes) {
        for (const kind of ['nudge', 'warn', 'reset', 'stop'] as const) {
          const { say } = verdictOf(kind, { rule, scope, used: 10, limit: 9 });
          expect(say).toMatch(/^(This|The|All) [^.]+(\.\d[^.]*)*\. (Try|Finish|A fresh|Stop) [^.]+\.$/);
        }
      }
    }
  });
});
