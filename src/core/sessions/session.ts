import type { EpochMs } from '../time.ts';
import type { SessionHold } from './session-hold.ts';
import type { KeptFacts, WordFacts } from './word-facts.ts';

export const CHILD_KINDS = ['branch', 'subagent', 'continuation', 'reset'] as const;
/** How a session came out of its parent. */
export type ChildKind = (typeof CHILD_KINDS)[number];

/** Tokens and money. Counts are whole numbers; money is exact to a billionth of a dollar. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** The part of `outputTokens` that the model spent thinking. */
  readonly reasoningTokens: number;
  readonly costUsd: number;
}

/** What one model was used for in one session. */
export interface ModelUsage extends Usage {
  readonly model: string;
}

/** What a caller reports after a model call: what was added, not a running total. */
export interface UsageReport extends Partial<Usage> {
  readonly model: string;
}

/** What a caller says when a session starts. */
export interface NewSession extends KeptFacts {
  /** Generated (UUIDv7) when absent. */
  readonly id?: string;
  /** Where it comes from: `cli`, `telegram`, `cron`, `subagent`, `api`, … */
  readonly source: string;
  readonly routeKey?: string;
  readonly parentId?: string;
  readonly childKind?: ChildKind;
  readonly title?: string;
  readonly tags?: readonly string[];
  /** Defaults to now; given by imports. */
  readonly startedAt?: EpochMs;
}

/** Everything known about a session without reading its messages. */
export interface SessionFacts extends WordFacts {
  readonly id: string;
  readonly source: string;
  readonly routeKey?: string;
  readonly parentId?: string;
  readonly childKind?: ChildKind;
  readonly title?: string;
  readonly startedAt: EpochMs;
  readonly lastActiveAt: EpochMs;
  readonly endedAt?: EpochMs;
  readonly endReason?: string;
  /** Since when it is archived: its messages and files can be restored, and until then nothing about it changes. */
  readonly archivedAt?: EpochMs;
  readonly pinned: boolean;
  /** Set where only its agent may take it away. */
  readonly hold?: SessionHold;
  readonly tags: readonly string[];
  /** What was said, by whomever. What a supervised agent printed is no message. */
  readonly messageCount: number;
  /** Pieces of output among the messages, numbered like them; absent when there is none. */
  readonly outputCount?: number;
  readonly toolCallCount: number;
  readonly usage: Usage;
  /** Bytes by where they are: message content in the database, the transcript file, request dumps. */
  readonly contentBytes: number;
  readonly transcriptBytes: number;
  readonly dumpBytes: number;
}

/** What a person or program may change about a session afterwards. */
export interface SessionChange {
  readonly title?: string;
  readonly pinned?: boolean;
  readonly model?: string;
  readonly addTags?: readonly string[];
  readonly removeTags?: readonly string[];
}

/** The trace a removed session leaves for ever. */
export interface LedgerEntry {
  readonly id: string;
  readonly source: string;
  readonly title?: string;
  readonly workdir?: string;
  readonly startedAt: EpochMs;
  readonly lastActiveAt: EpochMs;
  readonly endedAt?: EpochMs;
  readonly endReason?: string;
  readonly messageCount: number;
  readonly toolCallCount: number;
  readonly usageByModel: readonly ModelUsage[];
  readonly removedAt: EpochMs;
}

export const NO_USAGE: Usage = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  costUsd: 0,
};

/** Both together. Money stays exact to a billionth of a dollar. */
export function addUsage(a: Usage, b: Usage): Usage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
    reasoningTokens: a.reasoningTokens + b.reasoningTokens,
    costUsd: Math.round((a.costUsd + b.costUsd) * 1e9) / 1e9,
  };
}

/** All that has a number in a session, output included: what rules about having little in it go by. */
export function entryCount({
  messageCount,
  outputCount = 0,
}: Pick<SessionFacts, 'messageCount' | 'outputCount'>): number {
  return messageCount + outputCount;
}

/** How large a session is, as limits measure it and lists show it. */
export interface SessionSize {
  readonly messages: number;
  readonly bytes: number;
}

/** All the bytes a session takes. */
export function sessionBytes(session: SessionFacts): number {
  return session.contentBytes + session.transcriptBytes + session.dumpBytes;
}

/** All tokens, as limits and sorting count them. Reasoning is a part of the output, so it is not added again. */
export function totalTokens(usage: Usage): number {
  return usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
}

/** Tokens by what they cost: one that is read from a cache costs about a tenth, and an agent reads millions of them in an hour. */
export function weighedTokens(usage: Usage): number {
  return totalTokens(usage) - usage.cacheReadTokens + Math.ceil(usage.cacheReadTokens / 10);
}
