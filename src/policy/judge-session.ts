import type { EpochMs } from '../core/time.ts';

/** The session rules of a policy, in milliseconds; an absent rule never expires anything. */
export interface SessionRules {
  readonly minAgeMs: number;
  /** An open session without activity for this long counts as abandoned, and ages from then. */
  readonly abandonAfterMs: number;
  readonly retentionMs?: number;
  readonly emptyMs?: number;
  readonly trivialMs?: number;
  readonly trivialMaxMessages: number;
  readonly keepTags: readonly string[];
}

/** What the rules look at. */
export interface JudgedSession {
  readonly lastActiveAt: EpochMs;
  readonly endedAt?: EpochMs;
  readonly messageCount: number;
  readonly pinned: boolean;
  readonly tags: readonly string[];
  readonly active: boolean;
}

export type SessionVerdict =
  | { readonly kind: 'hold'; readonly reason: 'active' | 'pinned' | 'open' | 'young' | 'future' }
  | { readonly kind: 'keep'; readonly reason: 'tagged' | 'not-expired' }
  | { readonly kind: 'expire'; readonly rule: 'empty' | 'trivial' | 'retention' };

/** What the rules say of one session, holds first. Pure: the same arguments always give the same verdict. */
export function judgeSession(session: JudgedSession, rules: SessionRules, now: EpochMs): SessionVerdict {
  if (session.active) return { kind: 'hold', reason: 'active' };
  if (session.pinned) return { kind: 'hold', reason: 'pinned' };
  if (session.lastActiveAt > now) return { kind: 'hold', reason: 'future' };
  const ageMs =
    now - (session.endedAt === undefined ? session.lastActiveAt + rules.abandonAfterMs : session.lastActiveAt);
  if (ageMs < 0) return { kind: 'hold', reason: 'open' };
  if (ageMs < rules.minAgeMs) return { kind: 'hold', reason: 'young' };
  if (session.tags.some((tag) => rules.keepTags.includes(tag))) return { kind: 'keep', reason: 'tagged' };
  const rule = expiryRule(session, rules, ageMs);
  return rule === undefined ? { kind: 'keep', reason: 'not-expired' } : { kind: 'expire', rule };
}

function expiryRule({ messageCount }: JudgedSession, rules: SessionRules, ageMs: number) {
  if (messageCount === 0 && reached(ageMs, rules.emptyMs)) return 'empty' as const;
  if (messageCount <= rules.trivialMaxMessages && reached(ageMs, rules.trivialMs)) return 'trivial' as const;
  return reached(ageMs, rules.retentionMs) ? ('retention' as const) : undefined;
}

function reached(ageMs: number, limitMs: number | undefined): boolean {
  return limitMs !== undefined && ageMs >= limitMs;
}
