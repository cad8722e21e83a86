import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anInventory, anOpenSession, aPolicy, aSession } from '../../../test/support/inventories.ts';
import type { SessionRules } from '../../core/retention/policy.ts';
import { oversizedSessions } from './oversized-sessions.ts';

const rows = (bytes: number) => ({ bytes: { rows: bytes, transcript: 0, dumps: 0, other: 0 } });

describe('sessions that are too large', () => {
  it('are named with the limits that they exceed, the largest first', () => {
    const policy = aPolicy({ maxMessages: 100, maxBytes: 1000 });
    const sessions = [
      anOpenSession('long', { messageCount: 101, title: 'A long talk' }),
      aSession('heavy', { bytes: { rows: 400, transcript: 400, dumps: 100, other: 101 } }),
      aSession('at the limits', { messageCount: 100, ...rows(1000) }),
    ];
    expect(oversizedSessions(anInventory({ sessions }), policy)).toEqual([
      { id: 'heavy', source: 'cli', open: false, messageCount: 40, sizeBytes: 1001, maxBytes: 1000 },
      {
        id: 'long',
        source: 'cli',
        title: 'A long talk',
        open: true,
        messageCount: 101,
        sizeBytes: 100,
        maxMessages: 100,
      },
    ]);
  });

  it('are measured by the rules of their own source', () => {
    const policy = {
      ...aPolicy({ maxMessages: 100 }),
      bySource: { cron: { maxMessages: 10 }, api: { maxMessages: undefined } },
    };
    const sessions = ['cli', 'cron', 'api'].map((source) => aSession(source, { source, messageCount: 50 }));
    expect(oversizedSessions(anInventory({ sessions }), policy).map(({ id }) => id)).toEqual(['cron']);
  });

  it('are none where a limit is absent, zero, negative or not a number', () => {
    const bad = fc.constantFrom(undefined, 0, -1, Number.NaN);
    const sessions = [aSession('s', { messageCount: 1e6, ...rows(1e12) })];
    fc.assert(
      fc.property(bad, bad, (maxMessages, maxBytes) => {
        const rules: Partial<SessionRules> = { maxMessages, maxBytes };
        expect(oversizedSessions(anInventory({ sessions }), aPolicy(rules))).toEqual([]);
      }),
    );
  });
});
