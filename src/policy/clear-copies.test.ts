import { describe, expect, it } from 'vitest';
import { NOW } from '../../test/support/clock.ts';
import { aSession, aStray } from '../../test/support/inventories.ts';
import { planOf } from '../../test/support/plans.ts';
import { DAY_MS } from '../core/time.ts';

describe('a request to clear copies', () => {
  const before = NOW - 30 * DAY_MS;

  it('takes what is older than it says, keeps what is not, and means no session', () => {
    const strays = [
      aStray('orphan', 'older', { lastActiveAt: before - 1 }),
      aStray('orphan', 'just so old', { lastActiveAt: before }),
      aStray('orphan', 'younger', { lastActiveAt: before + 1 }),
      aStray('orphan', 'without a time', { lastActiveAt: Number.NaN }),
    ];
    const { decisions } = planOf({ strays, sessions: [aSession('s')] }, { request: { kind: 'clear-copies', before } });
    expect(Object.fromEntries(decisions.map(({ item, action, reason }) => [item.id, [action, reason]]))).toEqual({
      older: ['remove', 'selected'],
      'just so old': ['keep', 'young'],
      younger: ['keep', 'young'],
      'without a time': ['keep', 'young'],
      s: ['keep', 'not-selected'],
    });
  });
});
