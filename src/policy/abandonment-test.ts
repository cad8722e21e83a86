import type { Policy } from '../core/retention/policy.ts';
import { type UseFacts, useOf } from '../core/sessions/in-use.ts';
import type { EpochMs } from '../core/time.ts';
import { rulesBySource } from './rules-by-source.ts';

export interface OpenSession extends UseFacts {
  readonly source: string;
  readonly lastActiveAt: EpochMs;
}

/**
 * Whether a session is in use for no other reason than that nobody ended it, and was not used for as long as the rules of its source
 * allow. Such a session is closed, and nothing more: what removes sessions counts from that moment.
 */
export function abandonmentTest(policy: Policy, now: EpochMs): (session: OpenSession) => boolean {
  const rulesFor = rulesBySource(policy, { kind: 'policy' });
  return (session) =>
    useOf(session) === 'open' && now - session.lastActiveAt >= rulesFor(session.source).abandonAfterMs;
}
