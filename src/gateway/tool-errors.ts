/**
 * Consecutive tool errors, correct for calls that run side by side. Calls made before the first of their results form a batch,
 * and the order in which its results arrive does not matter. A batch of errors only adds to the count. In a batch with a
 * success, that success counts as the first result: earlier errors are forgotten, the errors of the batch itself count.
 */
export interface ToolErrors {
  /** Calls without a result yet. */
  readonly open: number;
  /** The count when the batch began. */
  readonly before: number;
  readonly errors: number;
  readonly succeeded: boolean;
}

export const NO_TOOL_ERRORS: ToolErrors = { open: 0, before: 0, errors: 0, succeeded: false };

/** A call after a result begins a new batch, so that a result that never comes holds nothing up. */
export function toolCalled(state: ToolErrors): ToolErrors {
  const batch = state.errors > 0 || state.succeeded ? closeBatch(state) : state;
  return { ...batch, open: state.open + 1 };
}

/** A result without a call is a batch of its own. */
export function toolReturned(state: ToolErrors, ok: boolean): ToolErrors {
  const open = Math.max(0, state.open - 1);
  const after = ok ? { ...state, open, succeeded: true } : { ...state, open, errors: state.errors + 1 };
  return open === 0 ? closeBatch(after) : after;
}

export function consecutiveErrors({ before, errors, succeeded }: ToolErrors): number {
  return succeeded ? errors : before + errors;
}

function closeBatch(state: ToolErrors): ToolErrors {
  return { ...NO_TOOL_ERRORS, open: state.open, before: consecutiveErrors(state) };
}
