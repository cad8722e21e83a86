import type { Reserved } from '../../core/gateway/gateway.ts';

/** What is set aside for the first step of a session, of which nothing is known: tokens, and what they cost with a dear model. */
export const FIRST_STEP: Reserved = { tokens: 4000, nanoUsd: 60_000_000 };

/**
 * What a run keeps set aside of which nobody is asked before its calls: it tells what it used when it has used it, so something is held
 * for the next call from its start to its end.
 */
export interface HeldAhead {
  readonly now: Reserved;
  /** Takes note of a report. */
  used(amounts: Reserved): void;
}

/** What a run may use in all, as far as somebody said so. */
export interface OwnLimits {
  readonly tokens?: number | undefined;
  readonly nanoUsd?: number | undefined;
}

/** All that it may use by its own limits and has not used yet; where it has none, as much as the call before. */
export function createHeldAhead(own: OwnLimits): HeldAhead {
  let left = own;
  let last = FIRST_STEP;
  return {
    get now() {
      return { tokens: left.tokens ?? last.tokens, nanoUsd: left.nanoUsd ?? last.nanoUsd };
    },
    used(amounts) {
      last = amounts;
      left = { tokens: less(left.tokens, amounts.tokens), nanoUsd: less(left.nanoUsd, amounts.nanoUsd) };
    },
  };
}

function less(left: number | undefined, used: number): number | undefined {
  return left === undefined ? undefined : Math.max(0, left - used);
}
