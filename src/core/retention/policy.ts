import type { AmountRule, LimitRule } from './session-settings.ts';

/**
 * The rules, in milliseconds and bytes. An absent rule never expires anything, and neither does one that is zero, negative or
 * not a number.
 */
export interface Policy {
  readonly sessions: SessionRules;
  /** Laid over `sessions` field by field for one source. `undefined` in a field switches that rule off. */
  readonly bySource: Readonly<Record<string, Partial<SessionRules>>>;
  /** Request dumps of a session go once it was not used for this long: all of them are at least as old then. */
  readonly dumps: { readonly maxAgeMs?: number | undefined };
  readonly archive: { readonly retentionMs?: number | undefined };
  /** At most so many bytes in the trash: the oldest runs in it go before their time to undo is over. */
  readonly trash: { readonly maxBytes?: number | undefined };
  readonly checkpoints: CheckpointRules;
  readonly disk: DiskRules;
  readonly guard: GuardRules;
}

/** Every field is there, so that none is forgotten; what each means is said in `session-settings.ts`. A limit of `undefined` is off. */
export type SessionRules = { readonly [Rule in LimitRule]: number | undefined } & {
  readonly [Rule in AmountRule]: number;
} & {
  /**
   * The floor: so many of the newest conversations in each group (source and project) stay, whatever other rule would take them.
   * At least 1; none only where somebody wrote `never`. Empty and trivial sessions are neither protected by it nor counted, or one of them would stay in every project
   * for ever. Those in use, unreadable and future ones stay anyway and are not counted either.
   */
  readonly keepLast: number | 'never';
  readonly keepTags: readonly string[];
  /** What becomes of a conversation once it was started afresh, whatever `keepLast` says; `undefined` when it stays like any other. */
  readonly afterReset: AfterReset | undefined;
};

/** Only the transcript and the request dumps go, or all of it. */
export type AfterReset = 'drop-files' | 'remove';

export interface CheckpointRules {
  readonly retentionMs?: number | undefined;
  /** At most so many of each project. */
  readonly maxSnapshots?: number | undefined;
  /** At most so many bytes for all of them together. */
  readonly maxBytes?: number | undefined;
}

export interface DiskRules {
  readonly maxBytes?: number | undefined;
  readonly minFreeBytes?: number | undefined;
  /** Whether what must go may lose its way back, so that the limits hold at once and not only once the trash is empty. */
  readonly forGood: boolean;
  /** Clearing starts above a cap and stops at this part of it; for `minFreeBytes`, as far above as this is below a cap. */
  readonly lowWater: number;
  readonly bySource: Readonly<Record<string, { readonly maxBytes: number }>>;
}

/** How much an unattended run may remove at once: what is more than both waits until it was announced for long enough. */
export interface GuardRules {
  readonly maxItems: number;
  readonly maxPart: number;
  readonly noticeMs: number;
}
