/**
 * Why nothing but its agent may take a session away, as the reader and the driver of that agent's home say it. It binds every rule and
 * every person: such a session is shown, and stays.
 */
export type SessionHold =
  /** It is in a shape or version that only its agent knows. */
  | { readonly kind: 'report-only' }
  /** Its agent has a command that removes it, and nobody else knows all that belongs to it. */
  | { readonly kind: 'through-owner'; readonly command: string }
  /** Another session needs it: its beginning is told there. Free as soon as that one is gone. */
  | { readonly kind: 'referenced'; readonly by: string };

/** The strongest first. */
export const SESSION_HOLDS = [
  'report-only',
  'through-owner',
  'referenced',
] as const satisfies readonly SessionHold['kind'][];
