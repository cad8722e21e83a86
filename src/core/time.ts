/** An instant: milliseconds since 1970-01-01T00:00:00Z. Fields that hold one are named `…At`. */
export type EpochMs = number;

/** Where the time comes from. Injected everywhere, so that tests decide what "now" is. */
export interface Clock {
  now(): EpochMs;
  /** How long the machine has been on, which goes on when somebody sets the time. Absent where it cannot be told. */
  sinceBoot?(): SinceBoot | undefined;
}

export interface SinceBoot {
  /** Which start of which machine: two of them cannot be compared. */
  readonly boot: string;
  /** Sleep included. */
  readonly ms: number;
}

export const SECOND_MS = 1000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

let written: { readonly at: EpochMs; readonly text: string } | undefined;

/** How an instant is written in JSON, transcripts and exports. What is written together mostly bears the same one. */
export function isoTime(at: EpochMs): string {
  if (written?.at !== at) written = { at, text: new Date(at).toISOString() };
  return written.text;
}
