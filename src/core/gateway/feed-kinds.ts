/** What subscribers of events are told of. */
export const FEED_KINDS = [
  'session-started',
  'session-resumed',
  'session-reset',
  /** By a limit, a budget or a guard. */
  'session-stopped',
  'session-ended',
  'messages-added',
  'run-ended',
  'delivered',
  'maintenance',
  'budget-alert',
  'warning',
  /** Events before this one were not kept: a subscriber who missed them should look for itself. */
  'gap',
] as const;

export type FeedKind = (typeof FEED_KINDS)[number];
