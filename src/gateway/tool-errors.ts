import { addTallies, addTool, type ToolTally } from './tool-tally.ts';

/** Calls that failed, and of which tools. */
export interface Failures {
  readonly count: number;
  readonly tools: ToolTally;
}

/**
 * Consecutive tool errors, correct for calls that run side by side. Calls made before the first of their results form a batch,
 * and the order in which its results arrive does not matter. A batch of errors only adds to the count. In a batch with a
 * success, that success counts as the first result: earlier errors are forgotten, the errors of the batch itself count.
 */
export interface ToolErrors {
  /** Calls without a result yet. */
  readonly open: number;
  /** Those of the streak when the batch began. */
  readonly before: Failures;
  readonly batch: Failures;
  readonly succeeded: boolean;
}

const NONE: Failures = { count: 0, tools: [] };

export const NO_TOOL_ERRORS: ToolErrors = { open: 0, before: NONE, batch: NONE, succeeded: false };

/** A call after a result begins a new batch, so that a result that never comes holds nothing up. */
export function toolCalled(state: ToolErrors): ToolErrors {
  const begun = state.batch.count > 0 || state.succeeded ? closeBatch(state) : state;
  return { ...begun, open: state.open + 1 };
}

/** A result without a call is a batch of its own. */
export function toolReturned(
  state: ToolErrors,
  { name, ok }: { readonly name: string; readonly ok: boolean },
): ToolErrors {
  const open = Math.max(0, state.open - 1);
  const { batch } = state;
  const failed = { count: batch.count + 1, tools: addTool(batch.tools, name) };
  const after = ok ? { ...state, open, succeeded: true } : { ...state, open, batch: failed };
  return open === 0 ? closeBatch(after) : after;
}

export function consecutiveErrors({ before, batch, succeeded }: ToolErrors): Failures {
  if (succeeded) return batch;
  return { count: before.count + batch.count, tools: addTallies(before.tools, batch.tools) };
}

/** The streak as whoever takes the session up again finds it: no call is on its way any more. */
export function settledErrors(state: ToolErrors): ToolErrors {
  return closeBatch({ ...state, open: 0 });
}

function closeBatch(state: ToolErrors): ToolErrors {
  return { ...NO_TOOL_ERRORS, open: state.open, before: consecutiveErrors(state) };
}
