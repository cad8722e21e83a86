import { describe, expect, it } from 'vitest';
import { NOW } from '../../test/support/clock.ts';
import { anOpenSession, aPolicy, aSession } from '../../test/support/inventories.ts';
import { planOf } from '../../test/support/plans.ts';
import type { SessionItem } from '../core/retention/inventory.ts';
import type { PlanRequest } from '../core/retention/plan.ts';
import type { SessionRules } from '../core/retention/policy.ts';
import type { Use } from '../core/sessions/in-use.ts';
import type { SessionHold } from '../core/sessions/session-hold.ts';
import { DAY_MS, HOUR_MS } from '../core/time.ts';

const daysAgo = (days: number) => NOW - days * DAY_MS;

describe('a session in use', () => {
  const used: readonly (readonly [Use, SessionItem])[] = [
    ['active', aSession('it', { active: true })],
    ['routed', aSession('it', { routed: true, endReason: 'crash' })],
    ['open', anOpenSession('it')],
  ];
  const newer = aSession('newer', { lastActiveAt: NOW });

  it.each(used)('is held by its use (%s), however old, also when it is named', (use, session) => {
    const requests: readonly PlanRequest[] = [{ kind: 'policy' }, { kind: 'delete', ids: ['it'] }];
    const sessions = [session, newer];
    const reasons = requests.map((request) => planOf({ sessions }, { request }).decisions[0]?.reason);
    expect(reasons).toEqual([use, use]);
  });

  it.each(used)('keeps the rest of its conversation (%s)', (_, session) => {
    const sessions = [session, aSession('next', { parentId: 'it', childKind: 'continuation' }), newer];
    const next = planOf({ sessions }).decisions.find(({ item }) => item.id === 'next');
    expect(next).toMatchObject({ action: 'keep', reason: 'lineage-active' });
  });
});

describe('a session that only its agent may take away', () => {
  const holds: readonly SessionHold[] = [
    { kind: 'report-only' },
    { kind: 'through-owner', command: 'agent sessions rm it' },
    { kind: 'referenced', by: 'fork' },
  ];
  const newer = aSession('newer', { lastActiveAt: NOW });

  it.each(holds)('stays, however old and short space is, also when it is named: $kind', (hold) => {
    const requests: readonly PlanRequest[] = [{ kind: 'policy' }, { kind: 'delete', ids: ['it'] }];
    const sessions = [aSession('it', { hold }), newer];
    const policy = aPolicy({}, { disk: { forGood: true, lowWater: 0.85, bySource: {}, maxBytes: 1 } });
    const reasons = requests.map(
      (request) => planOf({ sessions }, { request, policy }).decisions.find(({ item }) => item.id === 'it')?.reason,
    );
    expect(reasons).toEqual([hold.kind, hold.kind]);
  });

  it.each(holds)('keeps the rest of its conversation, and takes no place among the newest: $kind', (hold) => {
    const sessions = [aSession('it', { hold }), aSession('next', { parentId: 'it', childKind: 'continuation' }), newer];
    const next = planOf({ sessions }).decisions.find(({ item }) => item.id === 'next');
    expect(next).toMatchObject({ action: 'keep', reason: 'lineage-kept' });
  });
});

describe('a session that a rule closed', () => {
  it.each([{ endReason: 'abandoned' }, { endReason: 'reset: idle', reset: true as const }])(
    'ages from the close: %o',
    (closed) => {
      const endedAt = NOW;
      const sessions = [aSession('it', { ...closed, endedAt }), aSession('newer', { lastActiveAt: NOW })];
      const reasonAfter = (ms: number) => planOf({ sessions }, { now: NOW + ms }).decisions[0]?.reason;
      expect([0, DAY_MS - 1, DAY_MS, 90 * DAY_MS - 1, 90 * DAY_MS].map(reasonAfter)).toEqual([
        'young',
        'young',
        'not-expired',
        'not-expired',
        'retention',
      ]);
    },
  );
});

describe('a conversation that was started afresh', () => {
  const reset = ({ id = 'it', ...given }: Partial<SessionItem> = {}) =>
    aSession(id, {
      endReason: 'reset: daily',
      reset: true,
      lastActiveAt: daysAgo(2),
      endedAt: daysAgo(2),
      bytes: { rows: 10, transcript: 20, dumps: 5, other: 0 },
      ...given,
    });
  const newer = aSession('newer', { lastActiveAt: NOW });
  const fateOf = (session: SessionItem, rules: Partial<SessionRules>) => {
    const policy = aPolicy(rules);
    const [first] = planOf({ sessions: [session, newer] }, { policy }).decisions;
    return `${first?.action} ${first?.reason} ${first?.sizeBytes}`;
  };

  it('stays, loses its files or goes, as the rules say', () => {
    expect(fateOf(reset(), {})).toBe('keep not-expired 35');
    expect(fateOf(reset(), { afterReset: 'drop-files' })).toBe('drop-files transcript-after-reset 25');
    expect(fateOf(reset(), { afterReset: 'remove' })).toBe('remove after-reset 35');
  });

  it('is held by whatever holds any session', () => {
    const rules = { afterReset: 'remove' } as const;
    expect(fateOf(reset({ endedAt: NOW - 23 * HOUR_MS }), rules)).toBe('keep young 35');
    expect(fateOf(reset({ pinned: true }), rules)).toBe('keep pinned 35');
    expect(fateOf(reset({ active: true }), rules)).toBe('keep active 35');
    expect(fateOf(reset({ tags: ['keep'] }), rules)).toBe('keep tagged 35');
  });

  it('goes also as the newest of its project: another has answered in its place since', () => {
    const only = planOf({ sessions: [reset()] }, { policy: aPolicy({ afterReset: 'remove' }) });
    expect(only.decisions[0]?.reason).toBe('after-reset');
  });

  it('is no other than the one that ended so', () => {
    expect(fateOf(aSession('it', { lastActiveAt: daysAgo(2) }), { afterReset: 'remove' })).toBe('keep not-expired 100');
  });

  it('whose sessions come from several sources meets the milder fate', () => {
    const sessions = [
      reset({ source: 'telegram' }),
      reset({ id: 'next', source: 'api', parentId: 'it', childKind: 'continuation' }),
      ...['telegram', 'api'].map((source) => aSession(`newer-${source}`, { source, lastActiveAt: NOW })),
    ];
    const fate = (api: SessionRules['afterReset']) => {
      const policy = aPolicy({ afterReset: 'remove' }, { bySource: { api: { afterReset: api } } });
      return planOf({ sessions }, { policy }).decisions[0]?.reason;
    };
    expect([fate('remove'), fate('drop-files'), fate(undefined)]).toEqual([
      'after-reset',
      'transcript-after-reset',
      'not-expired',
    ]);
  });
});
