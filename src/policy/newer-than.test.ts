import { describe, expect, it } from 'vitest';
import { NOW } from '../../test/support/clock.ts';
import { aSession } from '../../test/support/inventories.ts';
import { planOf } from '../../test/support/plans.ts';
import type { PlanRequest } from '../core/retention/plan.ts';
import { HOUR_MS } from '../core/time.ts';

describe('an age from which on', () => {
  const sessions = [aSession('old'), aSession('new', { lastActiveAt: NOW - 30 * HOUR_MS, workdir: '/b' })];
  const reasons = (request: PlanRequest) =>
    Object.fromEntries(planOf({ sessions }, { request }).decisions.map(({ item, reason }) => [item.id, reason]));

  it('leaves out what is older, and is a filter, so no other age limits it', () => {
    const request: PlanRequest = { kind: 'prune', filter: {}, after: NOW - 48 * HOUR_MS, part: 'all' };
    expect(reasons(request)).toEqual({ old: 'not-selected', new: 'keep-last' });
    expect(planOf({ sessions }, { request }).notes[0]).toContain('No age limit is in force');
  });

  it('does not go before the least age', () => {
    const young = [aSession('young', { lastActiveAt: NOW - HOUR_MS })];
    const request: PlanRequest = { kind: 'archive', filter: {}, after: NOW - 2 * HOUR_MS };
    expect(planOf({ sessions: young }, { request }).decisions[0]?.reason).toBe('young');
  });
});
