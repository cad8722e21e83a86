import type { ModelUsage, UsageReport } from '../sessions/session.ts';
import type { EpochMs } from '../time.ts';
import type { Amounts, Reserved, Scope, Spend, SpendKey } from './gateway.ts';
import type { Counter } from './limits.ts';
import type { KeptRequest, Once } from './once.ts';

/**
 * Totals that all processes on a home share. Every method is one atomic step of the book, which may be on another machine, so that a step
 * can be refused before it is taken. What is given to decide or to count is asked in that very step, perhaps more than once, so it must
 * not wait for anything, and whatever it remembers must be the same the second time. The book is a fast copy: what was used is durable in
 * the session store.
 */
export interface SpendBook extends Disposable {
  /**
   * Starts the row of a session with what its store knows, less what was taken back. A row that is there is raised to that: a power
   * cut may have taken the newest from it.
   */
  begin(key: SpendKey, totals: Amounts): Promise<void>;
  /**
   * Adds the same amounts to every row, and in the same moment gives back what was set aside for them. A report is noted as well, until
   * `recorded` says that the session store has it.
   */
  add(keys: readonly SpendKey[], amounts: Amounts, also?: AddedWith): Promise<AddedSpend>;
  /** The session store has what was noted, or never will. Saying so twice is the same as once. */
  recorded(note: UsageNote): Promise<void>;
  /**
   * Ends what processes that have died left behind. What they had set aside is given back, and counted where a call of a model may have
   * been sent. What they had counted and perhaps not recorded is this process's to record from now on.
   */
  settleDead(): Promise<LeftByDead>;
  /**
   * Sets amounts aside, if the totals of this very moment allow it. They are told with what all others have set aside; what a process
   * that has died had set aside is taken back first. Undefined when it is not allowed.
   */
  reserve(request: ReserveRequest, allows: Allows): Promise<Reservation | undefined>;
  /**
   * Adds what a call used that may be told again and by others, as in a file that is copied: only what goes beyond what was counted under
   * its name before, in any process. Undefined when that is nothing.
   */
  addFound(found: FoundSpend): Promise<FoundCounted | undefined>;
  /** Gives back what was set aside. Doing so twice is the same as once. */
  release(reservation: Reservation): Promise<void>;
  /** The totals of a session first, then those of the other rows of its account; nothing used is zero. */
  read(account: SpendAccount, withReserved?: boolean): Promise<readonly Spend[]>;
  /**
   * Counts one more step of a session, and the time that passed before it, if the totals allow it: those of the very moment in
   * which it is counted, so nobody comes in between. Returns whether the step was counted.
   */
  step(step: SpendStep, allows: Allows): Promise<boolean>;
  /** The same for a step that belongs together with more, all in one: what was kept is changed, the step taken or not, and the answer noted. */
  stepTogether<T>(together: StepTogether<T>, allows: Allows): Promise<T>;
  /** Notes that a share of a limit was told. False when somebody had done so before. */
  tell(share: SpendShare): Promise<boolean>;
  /**
   * Takes usage back that was reported falsely, from every row, never below nothing, and keeps who did so, when and why. False, and
   * nothing is changed, when the session of the correction has not used as much.
   */
  correct(keys: readonly SpendKey[], correction: NewCorrection, also?: CorrectedWith): Promise<boolean>;
  /** What was taken back, the newest first. */
  corrections(): Promise<readonly Correction[]>;
  /** Every row of a scope, newest period first. */
  list(scope: Scope): Promise<readonly Spend[]>;
  /**
   * Changes what the guards keep of a session, in one step for all processes: told what was kept last, `change` says what is kept from
   * now on. Undefined is nothing.
   */
  keep(kept: KeptChange): Promise<void>;
  /** What is known of a request that bore a key. */
  request(key: string): Promise<KeptRequest | undefined>;
  /** Forgets requests of earlier. */
  dropRequestsBefore(at: EpochMs): Promise<void>;
  /** Forgets rows that nothing was added to since then. */
  dropBefore(at: EpochMs): Promise<void>;
}

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

/** Whether totals allow a step. */
export type Allows = (spent: readonly Spend[]) => boolean;

export interface KeptChange {
  readonly sessionId: string;
  readonly change: (kept: string | undefined) => string | undefined;
}

/** A step that is counted together with what happened before it. Under a key that is known it says what was answered the first time. */
export interface StepTogether<T> {
  readonly once?: Once | undefined;
  readonly keep?: KeptChange | undefined;
  readonly step: SpendStep | ReserveRequest;
  /** Told what was set aside, or whether the step was counted. As JSON it is what somebody hears who asks again. */
  readonly answer: (taken: Reservation | boolean) => T;
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
  /** What the guards keep of it. */
  readonly keep?: KeptChange | undefined;
  /** Under this key it is added once, however often that is asked for. */
  readonly once?: Once | undefined;
}

export interface AddedSpend {
  readonly note: UsageNote | undefined;
  /** It was added before under the same key, and not again. */
  readonly isRepeat: boolean;
}

/** What else belongs to a correction. */
export interface CorrectedWith {
  /** What its store knows of the session: it can be taken back too when the totals have not met the session. */
  readonly known?: { readonly key: SpendKey; readonly totals: Amounts };
  readonly once?: Once | undefined;
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
