import type { SessionSize, UsageReport } from './session.ts';
import type { EpochMs } from './time.ts';

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
}

export const OK: Verdict = { kind: 'ok', causes: [], say: '' };

/** Whose spending is counted: one session for as long as it lives; a source, a model and everything together by the day. */
export type Scope = 'session' | 'source' | 'day' | 'model';

/** What is spent. Money is counted in billionths of a dollar, so that whole numbers add up exactly. */
export const SPENT_COUNTERS = ['tokens', 'nanoUsd', 'iterations', 'wallMs'] as const;
/** What is limited: also how large a session grows, which its store knows. */
export const COUNTERS = ['messages', 'bytes', ...SPENT_COUNTERS] as const;
export type Counter = (typeof COUNTERS)[number];

/** Running totals of what was spent. */
export type Counters = Readonly<Record<(typeof SPENT_COUNTERS)[number], number>>;
export type Amounts = Partial<Counters>;

export const GUARD_NAMES = [
  'tool-errors',
  'same-tool',
  'repeated-calls',
  'messages-per-minute',
  'tokens-per-minute',
  'bytes-per-minute',
] as const;
export type GuardName = (typeof GUARD_NAMES)[number];

/** Names one row of totals. `period` is a local date such as `2026-01-15`, or empty for a session. */
export interface SpendKey {
  readonly scope: Scope;
  readonly key: string;
  readonly period: string;
}

export interface Spend extends SpendKey {
  readonly used: Counters;
}

/**
 * Totals that all processes on a home share. Every method is synchronous and atomic, so that a step can be refused before it
 * is taken. The book is a fast copy: what was used is durable in the session store.
 */
export interface SpendBook extends Disposable {
  /** Starts a row with these totals; a row that is there stays as it is. */
  begin(key: SpendKey, totals: Amounts): void;
  /** Adds the same amounts to every row. */
  add(keys: readonly SpendKey[], amounts: Amounts): void;
  /** The totals of a session first, then those of the other rows of its account; nothing used is zero. */
  read(account: SpendAccount): readonly Spend[];
  /**
   * Counts one more step of a session, and the time that passed before it, if the totals allow it: those of the very moment in
   * which it is counted, so nobody comes in between. `allows` may be asked twice. Returns whether the step was counted.
   */
  step(step: SpendStep, allows: (spent: readonly Spend[]) => boolean): boolean;
  /** Every row of a scope, newest period first. */
  list(scope: Scope): readonly Spend[];
  /** Forgets rows that nothing was added to since then. */
  dropBefore(at: EpochMs): void;
}

/** The rows that decide on the next step of a session. Whoever asks often keeps the object: it is what a book knows it by. */
export interface SpendAccount {
  readonly session: SpendKey;
  /** Rows of several sessions that a rule limits. */
  readonly limited: readonly SpendKey[];
}

export interface SpendStep {
  readonly account: SpendAccount;
  readonly wallMs: number;
}

/** Where a live session records what must last: durable when the promise resolves. */
export interface Recorder {
  /** How large the session is by now, through whomever it grew; undefined when it is gone. */
  size(): SessionSize | undefined;
  usage(added: UsageReport): Promise<void>;
  end(reason: string): Promise<void>;
}

/**
 * Why sessions end. After an accident the conversation goes on where it was; what was meant to end stays ended. A reason may
 * say more after a colon. Any other reason was given by a person or program, on purpose.
 */
export const END_REASONS = {
  crash: 'accident',
  disconnect: 'accident',
  abandoned: 'accident',
  shutdown: 'accident',
  reset: 'purpose',
  closed: 'purpose',
  budget: 'purpose',
  guard: 'purpose',
} as const;

export function endedByAccident(reason: string | undefined): boolean {
  const word = reason?.split(':', 1)[0] ?? '';
  return Object.hasOwn(END_REASONS, word) && END_REASONS[word as keyof typeof END_REASONS] === 'accident';
}
