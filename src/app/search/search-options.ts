import { SECOND_MS } from '../../core/time.ts';
import type { SearchGaps } from './search-gaps.ts';

export interface IndexOptions {
  readonly signal?: AbortSignal | undefined;
  /** Told how many bytes of transcripts were read, and of how many. */
  readonly onProgress?: ((doneBytes: number, ofBytes: number) => void) | undefined;
}

export interface IndexHomeOptions extends IndexOptions {
  /** Only where there is an index already. */
  readonly ifThere?: boolean;
}

export interface SearchOptions extends IndexOptions {
  /** When to stop reading what is new, by `performance.now()`. Ten seconds from now when absent. */
  readonly until?: number | undefined;
  /** Told what was not looked at. */
  readonly onGaps?: ((gaps: SearchGaps) => void) | undefined;
  /** Counts of what was found may be missing where a whole session would have to be read for them. */
  readonly uncounted?: boolean | undefined;
}

/** So long somebody who searches waits for what is new. */
export const PATIENCE_MS = 10 * SECOND_MS;
