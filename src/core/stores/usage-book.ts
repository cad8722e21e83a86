import type { EpochMs } from '../time.ts';
import type { Usage } from '../sessions/session.ts';

/** What usage can be added up by. */
export const USAGE_GROUPS = ['day', 'week', 'month', 'model', 'project', 'agent', 'session'] as const;
export type UsageGroup = (typeof USAGE_GROUPS)[number];

/** Whose session it is. The same one may be told of in several homes. */
export interface UsageSession {
  /** The name of the agent, such as that of its format. */
  readonly agent: string;
  readonly id: string;
  /** The folder it worked in. */
  readonly project?: string | undefined;
}

/** Tokens, and billionths of a dollar where somebody said what they cost. */
export interface CountedUsage extends Omit<Usage, 'costUsd'> {
  readonly nanoUsd: number | undefined;
}

/** What tokens of a model cost, in billionths of a dollar; of one call, or of several that nobody told apart. Undefined where nobody knows. */
export type PriceTokens = (model: string, tokens: Omit<Usage, 'costUsd'>, of: 'call' | 'several') => number | undefined;

/** One call of a model, as an agent wrote it down. */
export interface CountedCall extends CountedUsage {
  /** The same wherever this agent tells of it again. */
  readonly call: string;
  readonly model: string;
  readonly at: EpochMs;
}

/** What was read of a place, in order. */
export type ReadUsage =
  /** A session is told of call by call. What homes say of it in all counts no longer. */
  | { readonly kind: 'calls'; readonly session: UsageSession; readonly calls: readonly CountedCall[] }
  /** All of a file was given, as it was then. */
  | { readonly kind: 'file'; readonly path: string; readonly stamp: string }
  /** A file is gone. What was booked of it stays. */
  | { readonly kind: 'gone'; readonly path: string };

/** What a home says that one session has used of one model, in all. */
export interface ToldUsage extends CountedUsage {
  readonly session: UsageSession;
  /** Which of the sessions with this id it is, where one was removed and another got its name. */
  readonly startedAt: EpochMs;
  readonly lastActiveAt: EpochMs;
  readonly model: string;
  /** It watched over another agent, which may write down the same calls itself. */
  readonly supervised: boolean;
}

/** What was used together. */
export interface UsageAmount {
  readonly sessions: number;
  readonly usage: Usage;
  /** Tokens of models whose price is not known. They cost nothing here. */
  readonly unpricedTokens: number;
}

export interface UsageTotal extends UsageAmount {
  /** A day (`2026-01-31`), week (`2026-W05`) or month (`2026-01`); a model, a folder, an agent, or the id of a session. */
  readonly key: string;
  /** Whose it is; for sessions alone. */
  readonly agent?: string;
}

export interface UsageSums {
  /** Days, weeks and months newest first; all else with the highest cost first. */
  readonly totals: readonly UsageTotal[];
  /** Each session once. */
  readonly total: UsageAmount;
  /** Models whose price is not known, with most tokens first. */
  readonly unpricedModels: readonly { readonly model: string; readonly tokens: number }[];
}

/** What stands for a folder that nobody named. */
export const NO_PROJECT = 'unknown';

export interface UsageRange {
  /** Local days, such as `2026-01-31`: from this one on, and before that one. */
  readonly from?: string | undefined;
  readonly before?: string | undefined;
  /** Only sessions of which this place ever told. */
  readonly place?: string | undefined;
}

/**
 * What all calls of models took that were ever seen, each once, for as long as anybody wants to know: also when transcripts and sessions are
 * gone. What a method has done is on the disk when its promise resolves, and doing it again changes nothing.
 */
export interface UsageBook extends Disposable {
  /** What was read of a place: paths, each with a word that says how the file was then. */
  files(place: string): ReadonlyMap<string, string>;
  /** Books calls. One that was booked before counts only for what is more in it now. */
  add(place: string, read: readonly ReadUsage[]): Promise<void>;
  /** Books what a place says by now, as far as it goes beyond what was booked. */
  addTold(place: string, told: readonly ToldUsage[]): Promise<void>;
  /** What supervised sessions used and their agents wrote down as well counts once. Comes after what was added. */
  settle(): Promise<void>;
  /** A word that says how a place was when it was read last. */
  stamp(place: string): string | undefined;
  setStamp(place: string, stamp: string): Promise<void>;
  /** Puts a price on what had none. */
  price(): Promise<void>;
  /** Where these sessions worked is no longer said. What they used stays. */
  forgetProjects(ids: readonly string[]): Promise<void>;
  /** All of it, or that of some days or of one place, added up. */
  totals(by: UsageGroup, range?: UsageRange): UsageSums;
}
