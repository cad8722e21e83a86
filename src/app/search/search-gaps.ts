/** What a search could not look at. */
export interface SearchGaps {
  /** Sessions with something in them that was not read yet. */
  readonly unread: { readonly sessions: number; readonly bytes: number };
  /** Sessions that cannot be read. */
  readonly unreadable: number;
  /** Sessions that another process reads at this moment. */
  readonly busy: number;
  /** Sessions for which the index has no room. Their titles are found. */
  readonly leftOut: number;
  /** Why nothing could be written. */
  readonly stopped: 'no-space' | 'read-only' | undefined;
}

export const NO_GAPS: SearchGaps = {
  unread: { sessions: 0, bytes: 0 },
  unreadable: 0,
  busy: 0,
  leftOut: 0,
  stopped: undefined,
};

/** What was not looked at in several homes. */
export function addGaps(a: SearchGaps, b: SearchGaps): SearchGaps {
  return {
    unread: { sessions: a.unread.sessions + b.unread.sessions, bytes: a.unread.bytes + b.unread.bytes },
    unreadable: a.unreadable + b.unreadable,
    busy: a.busy + b.busy,
    leftOut: a.leftOut + b.leftOut,
    stopped: a.stopped ?? b.stopped,
  };
}
