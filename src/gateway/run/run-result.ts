import { constants } from 'node:os';

/** How a run ended, and why. */
export interface RunResult {
  readonly cause: RunCause;
  /** How the command ended: with a code, or by a signal. */
  readonly exitCode?: number;
  readonly signal?: NodeJS.Signals;
  /** What a shell around the run exits with; see `docs/formats/events.md`. */
  readonly exitStatus: number;
  readonly stats: RunStats;
}

export type RunCause =
  | { readonly kind: 'exited' }
  /** By a verdict or the time limit; `why` is a sentence. */
  | { readonly kind: 'stopped'; readonly why: string }
  | { readonly kind: 'interrupted' };

/** What is counted while a run goes on. */
export interface RunCounts {
  events: number;
  /** Lines on the event channel that were not events, or not valid ones. */
  refusedLines: number;
  /** What was wrong with the first few of them. */
  readonly problems: string[];
  outputBytes: number;
  /** Output bytes that were shown and not recorded. */
  omittedBytes: number;
}

export interface RunStats extends Readonly<RunCounts> {
  /** Processes that the command left behind and that were asked to end. */
  readonly endedProcesses: number;
  /** Those that could not be ended. */
  readonly leftPids: readonly number[];
}

/** The convention of shells and of `timeout`: 124 for a limit, 130 for Ctrl-C, 128 and more for a signal. */
export function exitStatus({ cause, exitCode, signal }: Pick<RunResult, 'cause' | 'exitCode' | 'signal'>): number {
  if (cause.kind === 'stopped') return 124;
  if (cause.kind === 'interrupted') return 130;
  return exitCode ?? 128 + (signal === undefined ? 0 : constants.signals[signal]);
}
