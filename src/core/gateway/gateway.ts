import type { ModelUsage, SessionSize, UsageReport } from '../sessions/session.ts';
import type { EpochMs } from '../time.ts';
import type { GuardName } from './guards.ts';
import type { Counter, SpentCounter } from './limits.ts';
import type { KeptRequest, Once } from './once.ts';

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

/** Amounts set aside in a book, for as long as whoever did so lives. */
export interface Reservation {
  readonly id: number;
}

export interface ReserveRequest {
  /** It is for a call of a model: once that is sent it is paid for, whether or not anybody is there for the answer. */
  readonly isCall?: boolean;
  readonly account: SpendAccount;
  /** All rows that it counts towards, besides the session's. */
  readonly shared: readonly SpendKey[];
  readonly amounts: Reserved;
  /** What was set aside before by the same, which this replaces. */
  readonly instead?: Reservation | undefined;
  /** Counts one more step of the session as well, with the time that passed before it. */
  readonly stepMs?: number;
}

/**
 * Totals that all processes on a home share. Every method is synchronous and atomic, so that a step can be refused before it
 * is taken. The book is a fast copy: what was used is durable in the session store.
 */
export interface SpendBook extends Disposable {
  /**
   * Starts the row of a session with what its store knows, less what was taken back. A row that is there is raised to that: a power
   * cut may have taken the newest from it.
   */
  begin(key: SpendKey, totals: Amounts): void;
  /**
   * Adds the same amounts to every row, and in the same moment gives back what was set aside for them. A report is noted as well, until
   * `recorded` says that the session store has it.
   */
  add(keys: readonly SpendKey[], amounts: Amounts, also?: AddedWith): UsageNote | undefined;
  /** The session store has what was noted, or never will. Saying so twice is the same as once. */
  recorded(note: UsageNote): void;
  /**
   * Ends what processes that have died left behind. What they had set aside is given back, and counted where a call of a model may have
   * been sent. What they had counted and perhaps not recorded is this process's to record from now on.
   */
  settleDead(): LeftByDead;
  /**
   * Sets amounts aside, if the totals of this very moment allow it. They are told with what all others have set aside; what a process
   * that has died had set aside is taken back first. Undefined when it is not allowed.
   */
  reserve(request: ReserveRequest, allows: (spent: readonly Spend[]) => boolean): Reservation | undefined;
  /**
   * Adds what a call used that may be told again and by others, as in a file that is copied: only what goes beyond what was counted under
   * its name before, in any process. Undefined when that is nothing.
   */
  addFound(found: FoundSpend): FoundCounted | undefined;
  /** Gives back what was set aside. Doing so twice is the same as once. */
  release(reservation: Reservation): void;
  /** The totals of a session first, then those of the other rows of its account; nothing used is zero. */
  read(account: SpendAccount, withReserved?: boolean): readonly Spend[];
  /**
   * Counts one more step of a session, and the time that passed before it, if the totals allow it: those of the very moment in
   * which it is counted, so nobody comes in between. `allows` may be asked twice. Returns whether the step was counted.
   */
  step(step: SpendStep, allows: (spent: readonly Spend[]) => boolean): boolean;
  /** Notes that a share of a limit was told. False when somebody had done so before. */
  tell(share: SpendShare): boolean;
  /**
   * Takes usage back that was reported falsely, from every row, never below nothing, and keeps who did so, when and why. False, and
   * nothing is changed, when the session of the correction has not used as much.
   */
  correct(keys: readonly SpendKey[], correction: NewCorrection): boolean;
  /** What was taken back, the newest first. */
  corrections(): readonly Correction[];
  /** Every row of a scope, newest period first. */
  list(scope: Scope): readonly Spend[];
  /**
   * Changes what the guards keep of a session, in one step for all processes: told what was kept last, `change` says what is kept from
   * now on. Undefined is nothing.
   */
  keep(sessionId: string, change: (kept: string | undefined) => string | undefined): void;
  /** Does what was asked for under a key in one step for all processes, unless it was done before: then it says what that gave. */
  once<T>(once: Once, work: () => T): T;
  /** What is known of a request that bore a key. */
  request(key: string): KeptRequest | undefined;
  /** Forgets requests of earlier. */
  dropRequestsBefore(at: EpochMs): void;
  /** Forgets rows that nothing was added to since then. */
  dropBefore(at: EpochMs): void;
}

/** Tokens of one call, by kind. */
export type FoundTokens = Readonly<Record<(typeof TOKEN_KINDS)[number], number>>;
export const TOKEN_KINDS = [
  'inputTokens',
  'outputTokens',
  'cacheReadTokens',
  'cacheWriteTokens',
  'reasoningTokens',
] as const;

/** A call that somebody wrote down, with all that it used as far as is known. */
export interface FoundSpend {
  /** Names the call, whoever tells of it. */
  readonly id: string;
  readonly tokens: FoundTokens;
  readonly keys: readonly SpendKey[];
  readonly sessionId: string;
  /** What tokens that were not counted before amount to. */
  readonly countOf: (added: FoundTokens) => FoundCount;
  readonly settled?: Reservation | undefined;
  /** What stays set aside in its place, when so much was counted. */
  readonly aheadOf?: (counted: Reserved) => Reserved | undefined;
}

/** What of a call was not counted before: for the totals, and for the session store. */
export interface FoundCount {
  readonly amounts: Reserved;
  readonly usage: ModelUsage;
}

export interface FoundCounted extends FoundCount {
  readonly note: UsageNote | undefined;
}

/** What else belongs to an amount that is added. */
export interface AddedWith {
  readonly settled?: Reservation | undefined;
  /** What stays set aside in its place, for what comes next. */
  readonly ahead?: Reserved | undefined;
  /** What the session store is about to be told. */
  readonly report?: CountedReport;
}

export interface CountedReport {
  readonly sessionId: string;
  readonly usage: UsageReport;
  /** By which it is known to somebody who may come with it again; otherwise it gets an id of its own. */
  readonly id?: string;
}

/** Usage that is counted and that the session store may not have yet. Its id is the same for everybody, and never given again. */
export interface UsageNote {
  readonly id: string;
}

/** Usage that a dead process had counted. Whether it had recorded it too, the session store knows by the id. */
export interface LateUsage extends UsageNote {
  readonly sessionId: string;
  readonly usage: UsageReport;
}

export interface LeftByDead {
  readonly unrecorded: readonly LateUsage[];
  /** The ids of all that is noted, whoever noted it. */
  readonly noted: readonly string[];
  /** Calls under way that were counted with what was set aside for them. */
  readonly calls: readonly (Reserved & { readonly sessionId: string })[];
}

/** The rows that decide on the next step of a session. Whoever asks often keeps the object: it is what a book knows it by. */
export interface SpendAccount {
  readonly session: SpendKey;
  /** Rows of several sessions that a rule limits. */
  readonly limited: readonly SpendKey[];
}

/** A part of a limit, of which somebody is told when it is used. */
export interface SpendShare extends SpendKey {
  readonly counter: Counter;
  readonly limit: number;
  readonly percent: number;
}

export interface NewCorrection extends Reserved {
  readonly sessionId: string;
  readonly by: string;
  readonly reason: string;
}

export interface Correction extends NewCorrection {
  readonly at: EpochMs;
}

export interface SpendStep {
  readonly account: SpendAccount;
  readonly wallMs: number;
}

/** Where a live session records what must last: durable when the promise resolves. */
export interface Recorder {
  /** How large the session is by now, through whomever it grew; undefined when it is gone. */
  size(): SessionSize | undefined;
  usage(added: UsageReport, note: UsageNote, once?: Once): Promise<void>;
  /** Ends the session: no process adds to it any more. */
  end(reason: string, verdict: Verdict): Promise<void>;
}
