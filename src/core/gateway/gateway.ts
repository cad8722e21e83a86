import type { GuardName } from './guards.ts';
import type { Counter, SpentCounter } from './limits.ts';

/** What a live session is told, the mildest first. `reset` and `stop` mean: take no further step in this session. */
export const VERDICT_KINDS = ['ok', 'nudge', 'warn', 'reset', 'stop'] as const;
export type VerdictKind = (typeof VERDICT_KINDS)[number];

/** The judgement before or after a step, with every rule that had something to say and words for the model. */
export interface Verdict {
  readonly kind: VerdictKind;
  /** The strictest first; empty when all is well. */
  readonly causes: readonly VerdictCause[];
  readonly say: string;
}

/** One rule that spoke up. Amounts are in the unit of the counter: tokens, bytes, nano-dollars, milliseconds. */
export interface VerdictCause {
  readonly rule: Counter | GuardName | 'no-price';
  readonly scope: Scope;
  readonly used: number;
  readonly limit: number;
  /** The model whose price is not known. */
  readonly model?: string;
  /** What calls under way have set aside, beside what is used. */
  readonly reserved?: number;
  /** What the next call is expected to need. */
  readonly needs?: number;
  /** The tools that a streak is about, the first to come first. Not every one, where there are many. */
  readonly tools?: readonly ToolCount[];
}

/** How often a tool was called, or failed. */
export interface ToolCount {
  readonly name: string;
  readonly count: number;
}

export const OK: Verdict = { kind: 'ok', causes: [], say: '' };

/** Whose spending is counted: one session for as long as it lives; a source, a model and everything together by the day. */
export type Scope = 'session' | 'source' | 'day' | 'model';

/** Running totals of what was spent. */
export type Counters = Readonly<Record<SpentCounter, number>>;
export type Amounts = Partial<Counters>;

/** Names one row of totals. `period` is a local date such as `2026-01-15`, or empty for a session. */
export interface SpendKey {
  readonly scope: Scope;
  readonly key: string;
  readonly period: string;
}

export interface Spend extends SpendKey {
  readonly used: Counters;
  /** A model for which no price is known, so that its tokens cost nothing here. */
  readonly unpriced?: boolean;
  /** What calls under way have set aside of it; absent where nobody asked, or nothing is. */
  readonly reserved?: Reserved;
}

/** Amounts that a call will need, before anybody knows what it used. */
export type Reserved = Readonly<Record<'tokens' | 'nanoUsd', number>>;
