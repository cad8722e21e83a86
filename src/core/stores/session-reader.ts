import type { Problem } from '../problem.ts';
import type { EpochMs } from '../time.ts';
import type { Message } from '../sessions/message.ts';
import { type ModelUsage, type SessionFacts, sessionBytes, totalTokens } from '../sessions/session.ts';
import type { NamePart } from '../sessions/session-names.ts';

/**
 * Sessions and messages, for whoever only looks. It is all that a home of another agent owes; what a reader cannot say of a session
 * at all it leaves out of its facts, and what it says there of `hold` is binding for everybody.
 */
export interface SessionReader {
  /** Archived sessions too: their facts say so. */
  get(id: string): Promise<SessionFacts | undefined>;
  /** Ids by a part of what sessions are called, for people who type no whole id; at most `limit`. Nothing in it is a pattern. */
  idsNamed(part: NamePart, limit: number): Promise<readonly string[]>;
  list(query?: ListQuery): AsyncIterable<SessionFacts>;
  messages(id: string, range?: MessageRange): AsyncIterable<Message>;
  usageByModel(id: string): Promise<readonly ModelUsage[]>;
  /** Looks for damage and disagreement. Changes nothing. */
  check(): AsyncIterable<StoreCheck>;
  /** Best matches first, one per session. Absent where nothing can be searched. */
  search?(query: SearchQuery): Promise<readonly SearchHit[]>;
  /** Ends a session that was left open, as its owner itself would. Absent where only the owner can. */
  endAsOwner?(id: string): Promise<void>;
}

/** `bytes` is another word for `size`. */
export const SESSION_SORTS = ['last', 'size', 'messages', 'tokens', 'cost', 'bytes'] as const;
export type SessionSort = (typeof SESSION_SORTS)[number];

/** What a list is sorted by, the largest first. */
export const SORT_MEASURES: Readonly<Record<SessionSort, (session: SessionFacts) => number>> = {
  last: ({ lastActiveAt }) => lastActiveAt,
  size: sessionBytes,
  bytes: sessionBytes,
  messages: ({ messageCount }) => messageCount,
  tokens: ({ usage }) => totalTokens(usage),
  cost: ({ usage }) => usage.costUsd,
};

export interface ListQuery {
  /** Archived sessions instead of live ones. */
  readonly archived?: boolean;
  readonly source?: string;
  /** Only sessions that nobody ended; looks at no other. */
  readonly open?: true;
  /** Only sessions claimed by one of these holders, ended or not, or open with activity at or after `since`. */
  readonly active?: { readonly holderIds: readonly string[]; readonly since: EpochMs };
  /** Last active at or after. */
  readonly since?: EpochMs;
  /** Last active before. */
  readonly before?: EpochMs;
  /** Largest first; `last` (the default) is most recent first; `stored` is whatever costs least, for those who read everything. */
  readonly sort?: SessionSort | 'stored';
  readonly limit?: number;
  /** Counts may be missing where they would have to be read for: only which sessions there are is asked. */
  readonly uncounted?: true;
}

/** Messages `from`…`to` by sequence number, both included; or only the newest `last`. Always in order. */
export interface MessageRange {
  readonly from?: number;
  readonly to?: number;
  readonly last?: number;
  /** Also messages that were taken back. They are left out otherwise: they are not part of the conversation any more. */
  readonly rewound?: boolean;
}

export interface SearchQuery {
  /** Words, `"exact phrases"` and `-words to leave out`. All must match; parts of words match too. */
  readonly text: string;
  readonly source?: string;
  /** Only what was said at this time or later; by its title, or archived, only a session that was last active then. */
  readonly since?: EpochMs;
  readonly limit?: number;
}

export interface SearchHit {
  readonly session: SessionFacts;
  /** The best message of the session; absent when only its title matched, and when it is archived. */
  readonly message?: { readonly seq: number; readonly role: string; readonly at: EpochMs; readonly rewound?: true };
  readonly excerpt: SearchExcerpt;
  /** How it was found: whole words rank before parts of words. */
  readonly match: 'words' | 'part' | 'title';
}

/** A stretch of text with the places that matched, as [start, end) offsets. */
export interface SearchExcerpt {
  readonly text: string;
  readonly marks: readonly (readonly [number, number])[];
}

/** One thing that was looked at, and what is wrong with it. */
export interface StoreCheck {
  readonly name: string;
  readonly problems: readonly Problem[];
}
