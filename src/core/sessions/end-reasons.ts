/**
 * Why sessions end. After an accident the conversation goes on where it was; what was meant to end stays ended. A reason may
 * say more after a colon. Any other reason was given by a person or program, on purpose.
 */
export const END_REASONS = {
  crash: 'accident',
  disconnect: 'accident',
  /** Nobody ended it and nobody used it: see `abandonmentTest`. */
  abandoned: 'accident',
  shutdown: 'accident',
  reset: 'purpose',
  closed: 'purpose',
  budget: 'purpose',
  guard: 'purpose',
} as const;

/** The end of a session that was left open. A message takes it up again. */
export const ABANDONED = 'abandoned' satisfies keyof typeof END_REASONS;

/** Whether a session ended because its conversation was started afresh. */
export function endedByReset(reason: string | undefined): boolean {
  return wordOf(reason) === 'reset';
}

export function endedByAccident(reason: string | undefined): boolean {
  const word = wordOf(reason);
  return Object.hasOwn(END_REASONS, word) && END_REASONS[word as keyof typeof END_REASONS] === 'accident';
}

/** Whether a limit, a guard or a fresh start ended it: opening it again would lead to the same end. */
export function endedByRule(reason: string | undefined): boolean {
  return ['reset', 'budget', 'guard'].includes(wordOf(reason));
}

function wordOf(reason: string | undefined): string {
  return reason?.split(':', 1)[0] ?? '';
}
