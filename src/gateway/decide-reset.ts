import { endedByAccident } from '../core/sessions/end-reasons.ts';
import type { EpochMs } from '../core/time.ts';
import { type DailyRule, lastDailyBoundary } from './last-daily-boundary.ts';

export interface ResetRules {
  readonly mode: 'none' | 'idle' | 'daily' | 'both';
  readonly idleMs: number;
  readonly daily: DailyRule;
  /** The longest a live background run puts a reset off. */
  readonly maxBackgroundMs: number;
  readonly maxMessages?: number | undefined;
  readonly maxBytes?: number | undefined;
}

/** What the decision needs to know about the session that a route names. */
export interface ResetSession {
  /** When it began to answer its route: its start or, if later, the moment it was taken up again on purpose. */
  readonly startedAt: EpochMs;
  readonly lastActiveAt: EpochMs;
  readonly endedAt?: EpochMs;
  readonly endReason?: string;
  /** Since when a run works in the background; absent when none is alive. */
  readonly backgroundSince?: EpochMs;
  readonly messageCount: number;
  readonly sizeBytes: number;
}

const RESET_REASONS = ['ended', 'messages', 'size', 'idle', 'daily'] as const;
export type ResetReason = (typeof RESET_REASONS)[number];

export type ResetDecision =
  | { readonly kind: 'continue' }
  /** It ended by accident: open it again and go on. */
  | { readonly kind: 'resume' }
  | { readonly kind: 'reset'; readonly reason: ResetReason }
  /** A reset is due, but a background run is alive; it is put off until then at the latest. */
  | { readonly kind: 'wait'; readonly reason: 'idle' | 'daily'; readonly untilAt: EpochMs };

/**
 * Decides whether a conversation goes on or starts afresh. Time alone never goes back on a reset that is due, and stamps in
 * the future never cause one. Limits of size do not wait for a background run, which may be what fills the session.
 */
export function decideReset(asked: {
  readonly now: EpochMs;
  readonly session: ResetSession;
  readonly rules: ResetRules;
  /** By a clock that may be wrong anything looks idle, so nothing starts afresh because of the time. */
  readonly clockInDoubt?: boolean;
}): ResetDecision {
  const { now, session, rules, clockInDoubt = false } = asked;
  const ended = session.endedAt !== undefined;
  if (ended && !endedByAccident(session.endReason)) return { kind: 'reset', reason: whyEnded(session.endReason) };
  if (session.messageCount >= (rules.maxMessages ?? Infinity)) return { kind: 'reset', reason: 'messages' };
  if (session.sizeBytes >= (rules.maxBytes ?? Infinity)) return { kind: 'reset', reason: 'size' };
  const reason = clockInDoubt ? undefined : dueByTime(now, session, rules);
  if (reason === undefined) return { kind: ended ? 'resume' : 'continue' };
  const untilAt = session.backgroundSince === undefined ? now : session.backgroundSince + rules.maxBackgroundMs;
  return untilAt > now ? { kind: 'wait', reason, untilAt } : { kind: 'reset', reason };
}

function dueByTime(now: EpochMs, session: ResetSession, rules: ResetRules): 'idle' | 'daily' | undefined {
  const { mode, idleMs, daily } = rules;
  if ((mode === 'idle' || mode === 'both') && now - session.lastActiveAt >= idleMs) return 'idle';
  // By its start, not by its last activity: a session that is busy at that hour, or waits for a run, starts afresh as well.
  if ((mode === 'daily' || mode === 'both') && session.startedAt < lastDailyBoundary(now, daily)) return 'daily';
  return undefined;
}

/** What an earlier decision ended it for is still why it starts afresh. */
function whyEnded(endReason = ''): ResetReason {
  return RESET_REASONS.find((reason) => endReason === `reset: ${reason}`) ?? 'ended';
}
